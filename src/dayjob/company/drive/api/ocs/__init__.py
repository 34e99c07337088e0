"""The OCS half of the wire: shares, people, capabilities; in XML or JSON, in versions 1 and 2."""

from dayjob.company.drive.api.ocs import wire as wire
