"""ownCloud's wire: WebDAV, the OCS interface and the few pages clients ask for."""
