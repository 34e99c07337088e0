"""The company of a trial in a process of its own, forked from a warm one: what hangs in it ends that trial alone.

`CompanyProcesses` is the driver's side: it starts the warm process and opens companies. A `TrialCompany` is one of them
as a trial sees it. Company and colleagues live in the process; gateway, grading and evidence stay with the driver.
"""

from dayjob.trial.company_process.handle import CompanyError, CompanyLost, Looked, TrialCompany
from dayjob.trial.company_process.processes import CompanyProcesses

__all__ = ["CompanyError", "CompanyLost", "CompanyProcesses", "Looked", "TrialCompany"]
