/** Times of a working day. Minute 0 is opening time, eight in the morning. */
export const OPENING = 8 * 60;

export function clock(minute: number): string {
  const all = OPENING + minute;
  return `${String(Math.floor(all / 60) % 24).padStart(2, "0")}:${String(all % 60).padStart(2, "0")}`;
}

/** 95 is "1 h 35 min". */
export function length(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return [hours ? `${hours} h` : "", rest || !hours ? `${rest} min` : ""].filter(Boolean).join(" ");
}
