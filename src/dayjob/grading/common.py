"""The evaluators' module `common`: `@grader` and every question an evaluator may ask of the company.

`from common import *` also gives the modules and the settings existing evaluators expect to find here, which is why
each name is imported as itself. What a function promises is said where it is defined.
"""

from __future__ import annotations

import base64 as base64
import functools as functools
import logging as logging
import os as os
import re as re
import subprocess as subprocess
import urllib as urllib
import urllib.parse  # noqa: F401  # `import urllib` alone would not bring it, and evaluators call urllib.parse.quote
import xml.etree.ElementTree as ET  # noqa: F401  # evaluators parse WebDAV answers with it
from difflib import SequenceMatcher as SequenceMatcher

import requests as requests
from requests.auth import HTTPBasicAuth as HTTPBasicAuth

from dayjob.grading.board import add_plane_issue_to_cycle as add_plane_issue_to_cycle
from dayjob.grading.board import create_plane_issue as create_plane_issue
from dayjob.grading.board import get_all_plane_projects as get_all_plane_projects
from dayjob.grading.board import get_plane_cycle_details as get_plane_cycle_details
from dayjob.grading.board import get_plane_issue_details as get_plane_issue_details
from dayjob.grading.board import get_plane_issues_by_project_cycle as get_plane_issues_by_project_cycle
from dayjob.grading.board import get_plane_project_all_issues as get_plane_project_all_issues
from dayjob.grading.board import get_plane_project_id as get_plane_project_id
from dayjob.grading.board import get_plane_state_details as get_plane_state_details
from dayjob.grading.board import get_plane_state_id_dict as get_plane_state_id_dict
from dayjob.grading.chat import check_rocketchat_message_posted as check_rocketchat_message_posted
from dayjob.grading.chat import create_rocketchat_client as create_rocketchat_client
from dayjob.grading.chat import get_rocketchat_channel_history as get_rocketchat_channel_history
from dayjob.grading.chat import get_rocketchat_channel_room_id as get_rocketchat_channel_room_id
from dayjob.grading.chat import get_rocketchat_personal_chat_history as get_rocketchat_personal_chat_history
from dayjob.grading.chat import num_rocketchat_users_contacted as num_rocketchat_users_contacted
from dayjob.grading.code import get_from_gitlab as get_from_gitlab
from dayjob.grading.code import gitlab_tree as gitlab_tree
from dayjob.grading.code import newest_merge_request as newest_merge_request
from dayjob.grading.code import unittests_pass as unittests_pass
from dayjob.grading.code import with_parts_of as with_parts_of
from dayjob.grading.config import *  # noqa: F403  # an evaluator finds every setting here too
from dayjob.grading.drive import check_and_download_file as check_and_download_file
from dayjob.grading.drive import check_file_in_owncloud_directory as check_file_in_owncloud_directory
from dayjob.grading.drive import download_image_from_url as download_image_from_url
from dayjob.grading.drive import download_owncloud_content as download_owncloud_content
from dayjob.grading.drive import get_binary_file_content_owncloud as get_binary_file_content_owncloud
from dayjob.grading.drive import get_owncloud_url_in_file as get_owncloud_url_in_file
from dayjob.grading.examinee import installed_files as installed_files
from dayjob.grading.examinee import run_as_examinee as run_as_examinee
from dayjob.grading.faults import Fault as Fault
from dayjob.grading.faults import JudgeFault as JudgeFault
from dayjob.grading.faults import ServiceFault as ServiceFault
from dayjob.grading.faults import faults as faults
from dayjob.grading.forge import get_gitlab_file_in_mr as get_gitlab_file_in_mr
from dayjob.grading.forge import get_gitlab_merge_request_by_title as get_gitlab_merge_request_by_title
from dayjob.grading.forge import get_gitlab_project_id as get_gitlab_project_id
from dayjob.grading.forge import make_gitlab_request as make_gitlab_request
from dayjob.grading.grader import grader as grader
from dayjob.grading.journal import accessed as accessed
from dayjob.grading.journal import changes as changes
from dayjob.grading.llm import IMAGE_JPEG as IMAGE_JPEG
from dayjob.grading.llm import IMAGE_PNG as IMAGE_PNG
from dayjob.grading.llm import Judgement as Judgement
from dayjob.grading.llm import compare_images_with_llm as compare_images_with_llm
from dayjob.grading.llm import evaluate_chat_history_with_llm as evaluate_chat_history_with_llm
from dayjob.grading.llm import evaluate_with_llm as evaluate_with_llm
from dayjob.grading.llm import judge as judge
from dayjob.grading.llm import llm_complete as llm_complete
from dayjob.grading.llm import verify_image_file as verify_image_file
from dayjob.grading.npc import npc_ready as npc_ready
from dayjob.grading.said import Message as Message
from dayjob.grading.said import messages_from as messages_from
from dayjob.grading.workbench import NotIsolated as NotIsolated
from dayjob.grading.workbench import Workbench as Workbench
from dayjob.grading.workbench import workbench as workbench
from dayjob.grading.workspace import PROJECT_FILES as PROJECT_FILES
from dayjob.grading.workspace import check_repo_exists as check_repo_exists
from dayjob.grading.workspace import get_all_texts_from_slide as get_all_texts_from_slide

logging.basicConfig(level=logging.INFO)
