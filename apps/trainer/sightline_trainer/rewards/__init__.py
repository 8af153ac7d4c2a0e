"""Reward rules. The same rules stand in TypeScript (`packages/core/src/rewards`); `fixtures/rewards` holds both to one
table of cases.
"""
