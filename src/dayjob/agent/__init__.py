"""The examinee's drivers: what works on a task inside a sandbox and says what it did."""

from dayjob.agent.agent import Account as Account
from dayjob.agent.agent import Agent as Agent
from dayjob.agent.agent import AgentError as AgentError
from dayjob.agent.agent import Assignment as Assignment
from dayjob.agent.registry import make_agent as make_agent
from dayjob.agent.trajectory import Step as Step
from dayjob.agent.trajectory import ToolCall as ToolCall
from dayjob.agent.trajectory import Trajectory as Trajectory
