"""The realtime wire: DDP over a websocket. Methods do things; streams tell what happened, at once."""
