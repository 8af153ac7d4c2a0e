/** Letters of a stop sign, 5 × 7, one string a row, `#` is white. */
export const STOP_ROWS = [
  "#### ##### ### #### ",
  "#      #  #   ##   #",
  "#      #  #   ##   #",
  " ###   #  #   ##### ",
  "    #  #  #   ##    ",
  "    #  #  #   ##    ",
  "####   #   ### #    ",
] as const;
