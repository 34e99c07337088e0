"""Our own LLM agent, a baseline to read in ten minutes: `worker` asks the model and does what it asks for with the
tools that all models are offered and `browser`, while `context` keeps the conversation within the model's window.
"""

from dayjob.agent.worker.worker import Worker as Worker
