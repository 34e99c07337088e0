"""Answers, and files the reasons away, which nobody asked for."""

import requests
from solution import ACCOUNT, DRIVE, customers, put, table

put(table(customers()))
place = {"Destination": f"{DRIVE}/Visits/churn-reasons.csv"}
requests.request("MOVE", f"{DRIVE}/churn-reasons.csv", headers=place, auth=ACCOUNT, timeout=30).raise_for_status()
