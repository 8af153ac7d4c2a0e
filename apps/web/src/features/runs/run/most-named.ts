/** So many other runs are told apart by colour and read out; further ones are drawn thin and grey. */
export const MOST_NAMED = 8;
