"""What an image's instructions leave in its layers and its settings, as far as no room is needed to carry them out."""

from __future__ import annotations

import asyncio
import io
import os
import stat
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.sandbox.embedded import build
from dayjob.sandbox.embedded.base import Base, host_base
from dayjob.sandbox.embedded.build import build_image
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import BuildError
from dayjob.task.dockerfile import Dockerfile, parse_dockerfile

FIRST = of_this_user().first


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for name, text in {"task.md": "task", "a.txt": "a", "run.sh": "#!", "evaluator.py": "", "data/x": "x"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "link").symlink_to("a.txt")
    return tmp_path


def site_on(cache: Path) -> EmbeddedSite:
    """As much of a site as copying needs."""
    store = LayerStore(cache, of_this_user())

    async def find_base() -> Base:
        return host_base(store)

    site: Any = SimpleNamespace(layers=store, identity=store.identity, find_base=find_base, notes=())
    return cast(EmbeddedSite, site)


def built(cache: Path, folder: Path, text: str) -> Image:
    dockerfile: Dockerfile = parse_dockerfile(f"FROM dayjob/task-base:1\n{text}")
    return asyncio.run(build_image(site_on(cache), folder, dockerfile))


def shown(image: Image, path: str) -> Path:
    """The file that an image shows at a path."""
    return next(layer / path for layer in image.layers if os.path.lexists(layer / path))


def facts(place: Path) -> tuple[int, int, int]:
    info = place.lstat()
    return stat.S_IMODE(info.st_mode), info.st_uid - FIRST, info.st_gid - FIRST


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_copies_have_their_contents_modes_and_owners(cache: Path, folder: Path) -> None:
    image = built(
        cache, folder,
        "COPY a.txt /srv/one\nCOPY run.sh a.txt /srv/two/\nCOPY --chown=7:8 --chmod=600 a.txt /srv/three\n"
        "COPY link /srv/link\nCOPY data /srv/data\n",
    )  # fmt: skip
    assert shown(image, "srv/one").read_text() == "a"
    assert facts(shown(image, "srv/one")) == (0o644, 0, 0)
    assert facts(shown(image, "srv/two/run.sh")) == (0o755, 0, 0)
    assert facts(shown(image, "srv/two/a.txt")) == (0o644, 0, 0)
    assert facts(shown(image, "srv/two")) == (0o755, 0, 0)
    assert facts(shown(image, "srv/three")) == (0o600, 7, 8)
    assert os.readlink(shown(image, "srv/link")) == "a.txt"
    assert shown(image, "srv/data/x").read_text() == "x"
    assert shown(image, "instruction/task.md").read_text() == "task"
    assert shown(image, "utils/evaluator.py").exists()
    assert (shown(image, "utils/dayjob").parents[1] == image.layers[0]) is True


def test_an_archive_is_unpacked_by_add_and_copied_by_copy(cache: Path, folder: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        entry = tarfile.TarInfo("inside/file")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"text"))
    (folder / "all.tgz").write_bytes(out.getvalue())
    image = built(cache, folder, "ADD all.tgz /srv/added/\nCOPY all.tgz /srv/copied/\nADD a.txt /srv/plain\n")
    assert shown(image, "srv/added/inside/file").read_text() == "text"
    assert shown(image, "srv/copied/all.tgz").read_bytes() == out.getvalue()
    assert shown(image, "srv/plain").read_text() == "a"


def test_folders_that_the_base_has_keep_their_permissions(cache: Path, folder: Path) -> None:
    image = built(cache, folder, "COPY a.txt /tmp/a\nCOPY a.txt /root/a\nWORKDIR /root/deep\n")
    assert facts(image.layers[-3].joinpath("tmp"))[0] == 0o1777
    assert facts(image.layers[1].joinpath("root"))[0] == 0o700
    assert facts(image.layers[1].joinpath("root/deep")) == (0o755, 0, 0)


def test_settings_are_those_of_the_instructions(cache: Path, folder: Path) -> None:
    image = built(
        cache, folder,
        'ARG A=1\nARG NONE\nENV B=$A C="two words"\nENV OLD way of saying it\nUSER nobody\nWORKDIR /srv/$B\n'
        "WORKDIR deeper\nLABEL x=y\nEXPOSE 80\nCOPY a.txt .\n",
    )  # fmt: skip
    assert image.env == {"B": "1", "C": "two words", "OLD": "way of saying it"}
    assert (image.user, image.workdir) == ("nobody", "/srv/1/deeper")
    assert shown(image, "srv/1/deeper/a.txt").exists()
    assert image.system
    assert (image.log, image.seconds) == ("", 0.0)
    plain = built(cache, folder, "")
    assert (plain.user, plain.workdir, plain.env) == ("root", "/workspace", {})


def test_what_is_withheld_is_named_where_it_was_copied_to(cache: Path, folder: Path) -> None:
    image = built(cache, folder, "COPY . /srv/all\nCOPY a.txt /srv/x\n")
    assert image.withheld[:2] == ("/utils/", "/npc/")
    assert "/srv/all/evaluator.py" in image.withheld
    assert not [path for path in image.withheld if path.endswith(("a.txt", "/srv/x", "/srv/all"))]


def test_the_same_instructions_give_the_same_image_and_any_change_another(cache: Path, folder: Path) -> None:
    def key(text: str) -> str:
        return built(cache, folder, text).key

    texts = [
        "COPY a.txt /srv/x\n",
        "COPY a.txt /srv/y\n",
        "COPY --chown=7 a.txt /srv/x\n",
        "COPY --chmod=600 a.txt /srv/x\n",
        "ADD a.txt /srv/x\n",
        "WORKDIR /srv/x\n",
        "WORKDIR /srv/z\n",
    ]
    keys = [key(text) for text in texts]
    assert len(set(keys)) == len(texts)
    assert [key(text) for text in texts] == keys
    assert {len(one) for one in keys} == {32}
    (folder / "a.txt").write_text("other")
    assert key(texts[0]) != keys[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("COPY a.txt", "COPY needs a source and a destination|needs"),
        ("COPY a.txt /bin/x\n", "/bin is a link in the base; name the folder it leads to"),
        ("HEALTHCHECK x\n", "cannot honour HEALTHCHECK"),
        ("ENTRYPOINT x\n", "cannot honour ENTRYPOINT"),
        ("COPY --link a.txt /x\n", "--link cannot be honoured here"),
    ],
)
def test_what_cannot_be_done_is_said(cache: Path, folder: Path, text: str, sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        built(cache, folder, text)


def test_a_build_has_the_hosts_way_to_registries_and_nothing_else() -> None:
    passed = ["http_proxy", "HTTPS_PROXY", "no_proxy", "ALL_PROXY", "PIP_INDEX_URL", "SSL_CERT_FILE", "SSL_CERT_DIR",
              "REQUESTS_CA_BUNDLE"]  # fmt: skip
    kept = ["OPENAI_API_KEY", "HOME", "PATH", "MY_HTTP_PROXY", "HTTP_PROXY_X", "SSL_CERT"]
    assert [name for name in passed + kept if build._PASSED_ON.match(name)] == passed
    assert build._FOR_BUILDING == (
        "etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt",
    )  # fmt: skip
    assert build.BASES == (
        "dayjob/task-base", "ghcr.io/theagentcompany/task-base-image", "task-base-image", "base-image",
    )  # fmt: skip
    limits = build._BUILD_LIMITS
    assert (limits.memory, limits.disk, limits.file) == (8 << 30, 4 << 30, 4 << 30)
    assert (limits.processes, limits.cpus) == (4096, 64)


def test_what_lies_below_the_task_is_not_the_tasks_fault(cache: Path, folder: Path) -> None:
    from dataclasses import replace

    from dayjob.task.dockerfile import Instruction

    dockerfile = replace(parse_dockerfile("FROM dayjob/task-base:1\n"), below=(Instruction("VOLUME", "/x", 3),))
    with pytest.raises(BuildError, match=r"^below the task, the embedded sandbox cannot honour VOLUME") as error:
        asyncio.run(build_image(site_on(cache), folder, dockerfile))
    assert error.value.of_task is False
