"""Hours worked, from clock-ins to the payroll file."""
