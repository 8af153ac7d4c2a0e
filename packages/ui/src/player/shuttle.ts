/** Playback speed: 0 stands still, negative runs backwards. */
export type ShuttleRate = -4 | -2 | -1 | 0 | 1 | 2 | 4;

const FASTER: Record<1 | 2 | 4, 1 | 2 | 4> = { 1: 2, 2: 4, 4: 4 };

/**
 * The rate after one more press of J (backwards), K (stop) or L (forwards). A key pressed again doubles the speed, up
 * to 4; the key of the other direction turns round at normal speed.
 */
export function pressShuttle(rate: ShuttleRate, key: "j" | "k" | "l"): ShuttleRate {
  if (key === "k") return 0;
  const sign = key === "l" ? 1 : -1;
  const speed = rate * sign;
  if (speed !== 1 && speed !== 2 && speed !== 4) return sign;
  return (FASTER[speed] * sign) as ShuttleRate;
}
