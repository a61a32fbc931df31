# Golden data for the gait and Fourier tests. Pinned: numpy 2.4, scipy 1.17.
# Run from this folder: python3 gait_golden.py
import numpy as np
from scipy import signal, stats

# A gait-like window of 600 samples at 100 Hz, written as it is computed so that both sides see
# the same single-precision input. The formula is repeated in GaitSpectrumTests.
n = np.arange(600)
t = n / 100
x = 0.6 + 1.1 * np.sin(2 * np.pi * 0.9 * t) + 0.3 * np.cos(2 * np.pi * 1.8 * t)
y = -2.0 + 0.7 * np.cos(2 * np.pi * 0.9 * t + 0.4) + 0.5 * np.sin(2 * np.pi * 2.7 * t)
z = 9.4 + 2.5 * np.sin(2 * np.pi * 1.8 * t + 1.0) + 0.9 * np.sin(2 * np.pi * 3.6 * t)
force = np.stack([x, y, z], 1)
lanes = np.c_[force, np.linalg.norm(force, axis=1)].astype(np.float32).astype(float)

taps = np.array([-1, 0, 9, 16, 9, 0, -1]) / 32
halved = np.stack([signal.convolve(lane, taps, "valid")[::2] for lane in lanes.T], 1)
up = halved[:, :3].mean(0)
up /= np.linalg.norm(up)
centred = halved - halved.mean(0)
vertical = centred[:, :3] @ up
horizontal = centred[:, :3] - np.outer(vertical, up)
window = signal.windows.hann(len(halved) + 2, sym=True)[1:-1]


def power(v):
    _, p = signal.periodogram(
        v, fs=50, window=window, nfft=512, detrend=False, scaling="spectrum", return_onesided=False)
    return 4 * p[:128]


step = 0.5 * (power(centred[:, 3]) + power(vertical))
stride = sum(power(horizontal[:, axis]) for axis in range(3))
with open("gait_spectrum.csv", "w") as file:
    file.write("# bin, step power, stride power (m^2/s^4); SciPy's periodogram, spectrum scaling\n")
    for k in range(128):
        file.write(f"{k},{step[k]:.9g},{stride[k]:.9g}\n")


# Complex demodulation at a rate near the steps': the phase gained in the second in the window's
# middle, and how far five phases one second apart scatter about a straight line.
def phases(rate, reach, instants):
    weights = signal.windows.hann(2 * reach + 3, sym=True)[1:-1]
    offsets = np.arange(-reach, reach + 1)
    wave = weights * np.exp(-2j * np.pi * rate * offsets / 50)
    return [np.array([v[i + offsets] @ wave for v in (centred[:, 3], vertical)]) for i in instants]


def cycles(a, b, rate):
    gained = np.angle((b * a.conj()).sum()) / (2 * np.pi) - rate
    return gained - round(gained)


first = len(halved) - 1 - 200
with open("gait_rhythm.csv", "w") as file:
    file.write("# rate asked (Hz), steps in the second, standard error (Hz), skewness of the norm\n")
    skewness = stats.skew(centred[:, 3])
    for rate in (1.75, 1.8, 1.86):
        start, end = phases(rate, 96, [first, first + 50])
        lines = phases(rate, 48, [first - 48 + 50 * k for k in range(5)])
        gains = [cycles(a, b, rate) for a, b in zip(lines, lines[1:])]
        fit = stats.linregress(range(5), np.r_[0, np.cumsum(gains)])
        file.write(f"{rate},{rate + cycles(start, end, rate):.9g},{fit.stderr:.9g},{skewness:.9g}\n")

# The same line every half second: its amplitude over both signals, and the steps since the last.
with open("gait_track.csv", "w") as file:
    file.write("# amplitude, steps since the instant before; near 1.8 Hz\n")
    last = len(halved) - 1 - 48
    lines = phases(1.8, 48, [last - 25 * (8 - k) for k in range(9)])
    for k, line in enumerate(lines):
        gained = cycles(lines[k - 1], line, 0.9) + 0.9 if k else 0
        file.write(f"{np.sqrt((abs(line) ** 2).sum()):.9g},{gained:.9g}\n")
