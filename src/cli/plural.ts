/** `1 session`, `2,000 sessions`. Without `Intl`, whose first use takes as long as a search. */
export function plural(count: number, noun: string): string {
  return `${String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")} ${noun}${count === 1 ? "" : "s"}`;
}
