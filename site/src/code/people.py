"""Writes people.csv: 20,000 rows that are made up, the same ones in every run."""

import random

draw = random.Random(1)
with open("people.csv", "w", encoding="utf-8") as file:
    file.write("id,age,sex,income\n")
    for person in range(20_000):
        age = min(120, int(draw.gammavariate(9, 5)))
        income = round(draw.lognormvariate(10.5, 0.6), 2)
        file.write(f"{person},{age},{draw.choice('fmx')},{income}\n")
