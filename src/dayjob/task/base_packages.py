"""What every room's system is made of: Debian's packages, for both sandboxes, and the modules they supply."""

from __future__ import annotations

SUITE = "trixie"
RELEASE = "Debian 13"
PYTHON_VERSION = (3, 13)

PACKAGES = (
    # Python and what installs more of it
    "python3", "python3-pip", "python3-venv",
    # files and the network
    "ca-certificates", "curl", "wget", "git", "openssh-client", "netbase", "tzdata",
    # looking around
    "procps", "file", "less", "jq", "sqlite3", "patch",
    # archives
    "zip", "unzip", "xz-utils", "bzip2",
    # documents
    "poppler-utils", "imagemagick",
    # a compiler
    "gcc", "g++", "make", "libc6-dev",
)  # fmt: skip

# What programs that read and write documents import, from PyPI: pip can exchange them for others, which it cannot with
# Debian's own. With the digests of their wheels; those that are compiled have one for each kind of processor.
WHEELS = {
    "et-xmlfile==2.0.0": ("7a91720bc756843502c3b7504c77b8fe44217c85c537d85037f0f536151b2caa",),
    "lxml==6.1.3": (
        "5cffe18571ccc51d742cd08cbb3f8b756de9311d18c7ea98f5d92f37b8fb60c2",
        "d85dfab42dd672f87a7f76e9de7172962aee69fa12044f0d6e1a23cbd53fb80e",
    ),
    "openpyxl==3.1.5": ("5282c12b107bffeef825f4617dc029afaf41d0ea60823bbb665ef3079dc79de2",),
    "packaging==26.3": ("d7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c",),
    "pillow==13.0.0": (
        "19b66ca0a4d25cc0200b381ce824c7ea090db61427315e73cfb05dbf1b35c369",
        "5f56499c1a74d2b862beb0c33b8016f99d095858455df9d21583bbbc1c15b582",
    ),
    "pypdf==6.4.0": ("55ab9837ed97fd7fcc5c131d52fcc2223bc5c6b8a1488bbf7c0e27f1f0023a79",),
    "python-docx==1.2.0": ("3fd478f3250fbbbfd3b94fe1e985955737c145627498896a8a6bf81f4baf66c7",),
    "python-pptx==1.0.2": ("160838e0b8565a8b1f67947675886e9fea18aa5e795db7ae531606d68e785cba",),
    "typing-extensions==4.16.0": ("481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8",),
    "xlsxwriter==3.3.1": ("8e2c89e59d733fe59e112317218c64fbbc276d90a8c144ebd6f7fa15e7ab184a",),
}

# The modules beyond the standard library that a program in a room can import.
MODULES = frozenset({
    "PIL", "docx", "et_xmlfile", "lxml", "openpyxl", "packaging", "pip", "pptx", "pypdf",
    "typing_extensions", "xlsxwriter",
})  # fmt: skip
