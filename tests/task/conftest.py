"""The placed `/utils` folder and the small company of the grading tests, for evaluators of scaffolds."""

from tests.grading.conftest import company as company
from tests.grading.conftest import utils as utils
