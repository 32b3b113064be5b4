"""Interleaved rounds, and what they tell of a median. It knows nothing of what is measured."""
import math, statistics


def interleave(ways, count, measure):
    """count rounds of {way: measure(way)}, one after the other, each in turn forwards and backwards, so that what drifts weighs on all alike."""
    for number in range(count):
        order = ways if number % 2 == 0 else ways[::-1]
        yield {way: measure(way) for way in order}


def median_interval(values):
    """The ordered values between which the true median lies with 95 per cent; the extremes where there are too few."""
    values, n = sorted(values), len(values)
    rank, below = 0, 0.5 ** n  # P(at most `rank` values lie below the median)
    while below + math.comb(n, rank + 1) * 0.5 ** n <= 0.025:
        rank += 1
        below += math.comb(n, rank) * 0.5 ** n
    return values[rank], values[n - 1 - rank]


def told(values, form):
    """Their median and its interval:  1.02 [1.01, 1.04]."""
    low, high = median_interval(values)
    return f"{statistics.median(values):{form}} [{low:{form}}, {high:{form}}]"
