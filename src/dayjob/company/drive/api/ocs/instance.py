"""What the instance is and can do, its apps, and the private notes clients keep."""

from __future__ import annotations

from typing import Any

from dayjob.company.drive.api.ocs.call import Call
from dayjob.company.drive.shapes.envelope import NOT_FOUND, Result, refusal
from dayjob.company.drive.version import EDITION, FULL_VERSION, PRODUCT, VERSION
from dayjob.company.passwords import password_fits

_OFF = {"enabled": False}


def status() -> dict[str, Any]:
    """The content of `status.php`."""
    return {
        "installed": True,
        "maintenance": False,
        "needsDbUpgrade": False,
        "version": FULL_VERSION,
        "versionstring": VERSION,
        "edition": EDITION,
        "productname": PRODUCT,
        "product": PRODUCT,
    }


def config(call: Call) -> Result:
    host = call.drive.base_url().partition("://")[2]
    return Result({"version": "1.7", "website": PRODUCT, "host": host, "contact": "", "ssl": "false"})


def check_person(call: Call) -> Result:
    login, password = call.text("login"), call.text("password")
    if not login or not password:
        return refusal(101, "Both login and password are needed.")
    user = call.drive.accounts.get(login)
    if user is None or not user.enabled or not password_fits(password, user.password):
        return refusal(102, "The login is not valid.")
    return Result({"person": {"personid": user.username}})


def capabilities(call: Call) -> Result:
    major, minor, micro = VERSION.split(".")
    version = {"major": int(major), "minor": int(minor), "micro": int(micro), "string": VERSION, "edition": EDITION,
               "product": PRODUCT}  # fmt: skip
    public = {
        "enabled": True,
        "password": {
            "enforced_for": {
                "read_only": False,
                "read_write": False,
                "upload_only": False,
                "read_write_delete": False,
            },
            "enforced": False,
        },
        "roles_api": True,
        "can_create_public_link": True,
        "expire_date": _OFF,
        "send_mail": False,
        "social_share": True,
        "upload": True,
        "multiple": True,
        "supports_upload_only": True,
        "defaultPublicLinkShareName": "Public link",
    }
    sharing = {
        "api_enabled": True,
        "public": public,
        "user": {"send_mail": False, "profile_picture": False, "expire_date": _OFF},
        "group": {"expire_date": _OFF},
        "remote": {"expire_date": _OFF},
        "resharing": True,
        "group_sharing": True,
        "auto_accept_share": True,
        "share_with_group_members_only": False,
        "share_with_membership_groups_only": False,
        "can_share": True,
        "user_enumeration": {"enabled": True, "group_members_only": False},
        "default_permissions": 31,
        "federation": {"outgoing": False, "incoming": False},
        "search_min_length": 2,
    }
    return Result(
        {
            "version": version,
            "capabilities": {
                "core": {"pollinterval": 30000, "webdav-root": "remote.php/webdav", "status": status()},
                "checksums": {"supportedTypes": ["SHA1"], "preferredUploadType": "SHA1"},
                "files": {
                    "privateLinks": True,
                    "privateLinksDetailsParam": True,
                    "bigfilechunking": True,
                    "blacklisted_files": [".htaccess"],
                    "blacklisted_files_regex": "\\.(part|filepart)$",
                    "favorites": True,
                    "file_locking_support": True,
                    "file_locking_enable_file_action": False,
                    "undelete": True,
                    "versioning": False,
                },
                "dav": {
                    "chunking": "1.0",
                    "reports": ["search-files"],
                    "propfind": {"depth_infinity": True},
                    "trashbin": "1.0",
                },
                "files_sharing": sharing,
            },
        }
    )


# -- private notes -----------------------------------------------------------------------------------------------


def get_attributes(call: Call, app: str | None = None, key: str | None = None) -> Result:
    rows = call.drive.accounts.attributes(call.user.username, app, key)
    return Result([{"key": name, "app": owner, "value": value} for owner, name, value in rows])


def set_attribute(call: Call, app: str, key: str) -> Result:
    call.drive.accounts.set_attribute(call.user.username, app, key, call.text("value") or "")
    return Result()


def delete_attribute(call: Call, app: str, key: str) -> Result:
    call.drive.accounts.delete_attribute(call.user.username, app, key)
    return Result()


# -- apps --------------------------------------------------------------------------------------------------------


def apps(call: Call) -> Result:
    match call.text("filter"):
        case "enabled":
            return Result({"apps": call.drive.accounts.apps(True)})
        case "disabled":
            return Result({"apps": call.drive.accounts.apps(False)})
        case None | "":
            return Result({"apps": call.drive.accounts.apps()})
    return refusal(101, "The filter is 'enabled' or 'disabled'.")


def app(call: Call, appid: str) -> Result:
    if appid not in call.drive.accounts.apps():
        return refusal(NOT_FOUND, f"There is no app {appid}.")
    enabled = appid in call.drive.accounts.apps(True)
    return Result({"id": appid, "name": appid.replace("_", " ").capitalize(), "enabled": enabled})


def enable_app(call: Call, appid: str) -> Result:
    if appid not in call.drive.accounts.apps():
        return refusal(NOT_FOUND, f"There is no app {appid}.")
    call.drive.accounts.set_app(appid, True)
    return Result()


def disable_app(call: Call, appid: str) -> Result:
    if appid not in call.drive.accounts.apps():
        return refusal(NOT_FOUND, f"There is no app {appid}.")
    call.drive.accounts.set_app(appid, False)
    return Result()
