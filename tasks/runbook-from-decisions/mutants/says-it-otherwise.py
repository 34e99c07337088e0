"""The same decisions in other words, by the clock of twelve hours, with whole steps and underlined headings."""

from solution import LINK, WIKI, announce, sign_in

PAGE = """Deploying
=========

When
----

- **Tue** and **Thu**, 7–8 p.m.; start at seven sharp or not at all
- Fridays and the eve of a public holiday are off
  limits

How
---

1. Announce it in #releases, before you begin.
2. Take a backup and look at its size.
3. Set the release in the file of the host under `hosts/`, run `./check.py`, push.
4. Run `./deploy.sh` for `greenhouse-2`.
5. Stay for 30 min. Only if every check is green:
6. Run `./deploy.sh` for `greenhouse-1`.
7. Say in #releases that you have finished.

## Backups:

* Prior to every deploy the person who deploys makes one and makes sure that it has more than zero bytes.

14 per host are left by the nightly job (3:30 a.m.).

## Rolling back

Don't revert the commit: deploy the previous tag. You have 15 minutes from the first alarm,
and you do not need anybody's permission.

## Announcing

In #releases, before and after, by the person who deploys. Tell #engineering too.

## Alarms

| what | from | who is woken |
| --- | --- | --- |
| disk full | 80 % | the person on call |

## Launch

No deploys from Fri, March 13th, 5 p.m. until we have launched.
On Mon, March 16th, at 7 a.m. Chidi Eze and Jonas Weber deploy.
"""

sign_in().put(f"{WIKI}/deploying", json={"content": PAGE}, timeout=30).raise_for_status()
announce(f"Done. [Deploying]({LINK.replace('/-/', '/')}) is up to date, please have a look.")
