/**
 * Solves a small symmetric system by Cholesky's method; a little is added to the diagonal, so that what the equations
 * leave open stays where it is.
 *
 * @param matrix  n×n, row-major, positive semi-definite; overwritten.
 * @param right  n numbers; becomes the solution.
 * @returns False when there is no solution.
 */
export function solveSymmetric(matrix: Float64Array, right: Float64Array, damping: number): boolean {
  const n = right.length;
  const at = (row: number, column: number): number => matrix[row * n + column] as number;
  for (let i = 0; i < n; i += 1) matrix[i * n + i] = at(i, i) * (1 + damping) + 1e-12;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = at(i, j);
      for (let k = 0; k < j; k += 1) sum -= at(i, k) * at(j, k);
      if (i !== j) matrix[i * n + j] = sum / at(j, j);
      else if (sum > 0) matrix[i * n + i] = Math.sqrt(sum);
      else return false;
    }
  }
  for (let i = 0; i < n; i += 1) {
    let sum = right[i] as number;
    for (let k = 0; k < i; k += 1) sum -= at(i, k) * (right[k] as number);
    right[i] = sum / at(i, i);
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    let sum = right[i] as number;
    for (let k = i + 1; k < n; k += 1) sum -= at(k, i) * (right[k] as number);
    right[i] = sum / at(i, i);
  }
  return right.every(Number.isFinite);
}
