"""Reading the drive while grading: files and folders over WebDAV, and files behind public share links.

A link comes from the examinee, so it is only followed to the trial's own drive, and never through a shell.
"""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import quote, unquote

import requests
from requests.auth import HTTPBasicAuth

from dayjob.grading import config

log = logging.getLogger("common")

# A share page carries the absolute address of the file itself in double quotes.
_DOWNLOAD = re.compile(r'"(https?://[^\s"]*\bdownload\b[^\s"]*)"')


def check_file_in_owncloud_directory(file_name: str, dir_name: str) -> bool | None:
    """Is there a file with exactly this name in the folder? None when the drive refused to list the folder."""
    try:
        response = requests.request("PROPFIND", _address(dir_name), headers={"Depth": "1"}, auth=_account(), timeout=60)
    except requests.RequestException as error:
        log.warning("the drive did not list %s: %s", dir_name, error)
        return False
    if response.status_code != 207:
        log.warning("the drive answered %s for the folder %s", response.status_code, dir_name)
        return None
    hrefs = [href.text or "" for href in ET.fromstring(response.content).iter("{DAV:}href")]
    names = {unquote(href.rstrip("/").rsplit("/", 1)[-1]) for href in hrefs}
    return unquote(file_name) in names


def get_binary_file_content_owncloud(file_name: str, dir_name: str) -> bytes | None:
    """A file's bytes, or None when there is no such file."""
    try:
        response = requests.get(_address(f"{dir_name}/{file_name}"), auth=_account(), timeout=60)
    except requests.RequestException as error:
        log.warning("the drive did not hand out %s/%s: %s", dir_name, file_name, error)
        return None
    return response.content if response.status_code == 200 else None


def check_and_download_file(file_name: str, dir_name: str, output_file_path: str) -> bool:
    """Write the drive's file to a local path; False when there is no such file."""
    content = get_binary_file_content_owncloud(file_name, dir_name)
    if content is None:
        log.warning("the drive has no file %s/%s", dir_name, file_name)
        return False
    Path(output_file_path).write_bytes(content)
    return True


def get_owncloud_url_in_file(filename: str) -> str | bool:
    """A local file's text when it mentions the drive's address, otherwise False."""
    try:
        content = Path(filename).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        log.warning("%s cannot be read: %s", filename, error.strerror)
        return False
    return content if config.OWNCLOUD_URL in content else False


def download_owncloud_content(link: str | bool, output_file_path: str) -> bool:
    """Write the file behind a share link (or its download address) to a local path."""
    if not isinstance(link, str) or not link.strip():
        return False
    address = link.strip()
    try:
        if "download" not in address:
            page = _fetch_from_drive(address)
            found = _DOWNLOAD.search(page.text) if page is not None else None
            if found is None:
                log.warning("there is no file behind the link %s", address)
                return False
            address = found.group(1)
        file = _fetch_from_drive(address)
    except requests.RequestException as error:
        log.warning("the link %s could not be followed: %s", address, error)
        return False
    if file is None:
        return False
    Path(output_file_path).write_bytes(file.content)
    return True


def download_image_from_url(image_url: str, output_file_path: str) -> str | None:
    """Write what is at an address of the company to a local path and return that path, or None."""
    if config.service_at(image_url) is None:
        log.warning("%s is not an address of the company; nothing was fetched", image_url)
        return None
    try:
        response = requests.get(image_url, timeout=60)
    except requests.RequestException as error:
        log.warning("%s could not be fetched: %s", image_url, error)
        return None
    if response.status_code != 200:
        log.warning("%s answered %s", image_url, response.status_code)
        return None
    Path(output_file_path).write_bytes(response.content)
    return output_file_path


def _fetch_from_drive(address: str) -> requests.Response | None:
    if not address.startswith(f"{config.OWNCLOUD_URL}/"):
        log.warning("the link %s does not lead to the company's drive; it is not followed", address)
        return None
    response = requests.get(address, timeout=60)
    if response.status_code != 200:
        log.warning("the drive answered %s for %s", response.status_code, address)
        return None
    return response


def _address(path: str) -> str:
    # Callers write paths as people see them or already percent-encoded; both mean the same file.
    return f"{config.OWNCLOUD_URL}/remote.php/webdav/{quote(unquote(path.strip('/')))}"


def _account() -> HTTPBasicAuth:
    return HTTPBasicAuth(config.OWNCLOUD_USERNAME, config.OWNCLOUD_PASSWORD)
