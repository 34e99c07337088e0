/** The week view: seven columns, the shifts of each person. */
export interface Shift {
  readonly who: string;
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** The Monday of the week a day is in, both as 2026-03-09. */
export function monday(day: string): string {
  const moment = new Date(`${day}T12:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() - ((moment.getUTCDay() + 6) % 7));
  return moment.toISOString().slice(0, 10);
}

export function days(day: string): { name: string; date: string }[] {
  const first = new Date(`${monday(day)}T12:00:00Z`);
  return DAYS.map((name, after) => {
    const moment = new Date(first);
    moment.setUTCDate(first.getUTCDate() + after);
    return { name, date: moment.toISOString().slice(0, 10) };
  });
}

export function rows(shifts: readonly Shift[], day: string): { who: string; cells: string[] }[] {
  const week = days(day);
  const people = [...new Set(shifts.map((shift) => shift.who))].sort((a, b) => a.localeCompare(b));
  return people.map((who) => ({
    who,
    cells: week.map(({ date }) =>
      shifts.filter((shift) => shift.who === who && shift.day === date).map((shift) => `${shift.from}–${shift.to}`).join(", "),
    ),
  }));
}
