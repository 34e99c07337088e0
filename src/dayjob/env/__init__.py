"""A task as an environment: reset, act, grade without ending, fork. For programs that learn or search.

`Env` is for event loops, `SyncEnv` the same without one. What they give back is plain data (`values`); whatever cannot
be done is an `EnvError`. Grading and forking are the driver's: nothing in the sandbox or the services leads to them.
"""

from dayjob.env.env import Env as Env
from dayjob.env.plain import SyncEnv as SyncEnv
from dayjob.env.plain import SyncWorkshop as SyncWorkshop
from dayjob.env.values import Answer as Answer
from dayjob.env.values import CallError as CallError
from dayjob.env.values import Checkpoint as Checkpoint
from dayjob.env.values import Done as Done
from dayjob.env.values import EnvError as EnvError
from dayjob.env.values import Marks as Marks
from dayjob.env.values import Start as Start
from dayjob.env.values import ToolInfo as ToolInfo
from dayjob.env.values import Used as Used
from dayjob.env.values import Waited as Waited
