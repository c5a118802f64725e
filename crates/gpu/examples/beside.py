"""What others take, on the same GPU: billions of samples a second, medians of seven. None of it is exact.

python3 examples/beside.py [samples, 2^30 by default] [what `measure` printed]

With that file, ratios are printed too: those of sigma 10 with a verdict, and exit status 1 where one is missed; those
of sigma 2^20 without.
"""

import re
import statistics
import sys
import time

REPEATS = 7


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30
    try:
        import torch
    except ImportError:
        print("SKIPPED: there is no torch")
        return 0
    if not torch.cuda.is_available():
        print("SKIPPED: torch sees no GPU")
        return 0
    print(f"{torch.cuda.get_device_name()}: {samples} samples, medians of {REPEATS}, billions a second")
    figures = {}

    def on_torch(name, work):
        work()
        times = []
        for _ in range(REPEATS):
            before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            before.record()
            work()
            after.record()
            after.synchronize()
            times.append(before.elapsed_time(after))
        figures[name] = samples / statistics.median(times) / 1e6
        print(f"{name:<52} {figures[name]:7.1f}", flush=True)

    sigma = 10.0
    gradient = torch.zeros(samples, device="cuda")
    size = gradient.shape

    def opacus():
        """The arithmetic of its `secure_mode`: a quarter of the variance of the sum of four."""
        total = torch.zeros(size, device="cuda")
        for _ in range(4):
            total += torch.normal(mean=0.0, std=sigma, size=size, device="cuda")
        gradient.add_(total / 2)

    on_torch("torch normal_, float32", lambda: gradient.normal_(0, sigma))
    on_torch("torch g.add_(torch.normal(...)), float32", lambda: gradient.add_(torch.normal(0.0, sigma, size, device="cuda")))
    on_torch("Opacus, secure_mode's arithmetic, float32", opacus)
    del gradient
    torch.cuda.empty_cache()

    try:
        import os

        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        draw = jax.jit(lambda key: sigma * jax.random.normal(key, (samples,)))
        keys = jax.random.split(jax.random.key(0), REPEATS + 1)
        draw(keys[0]).block_until_ready()
        times = []
        for key in keys[1:]:
            started = time.perf_counter()
            draw(key).block_until_ready()
            times.append(time.perf_counter() - started)
        figures["jax.random.normal, float32"] = samples / statistics.median(times) / 1e9
        print(f"{'jax.random.normal, float32':<52} {figures['jax.random.normal, float32']:7.1f}")
    except ImportError:
        print("SKIPPED: there is no jax")

    if len(sys.argv) < 3:
        return 0
    text = open(sys.argv[2], encoding="utf-8").read()
    met = True
    for name, is_judged in (("Gaussian 10", True), ("Gaussian 2^20", False)):
        row = re.search(rf"^{re.escape(name)} +([\d.]+) +([\d.]+)", text, re.MULTILINE)
        added = float(row.group(2))
        for other, least in (
            ("torch g.add_(torch.normal(...)), float32", 0.5),
            ("Opacus, secure_mode's arithmetic, float32", 2.0),
            ("jax.random.normal, float32", 0.6),
        ):
            if other in figures:
                ratio = added / figures[other]
                if not is_judged:
                    print(f"beside: {name}, added / {other}: {ratio:.2f}")
                    continue
                met &= ratio >= least
                print(f"{'met' if ratio >= least else 'MISSED'}: {name}, added / {other}: {ratio:.2f} (at least {least})")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
