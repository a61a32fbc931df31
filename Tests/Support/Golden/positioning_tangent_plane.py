"""Golden positions for LocalTangentPlane, from other formulas than the library's.

Positions: extended precision, through the reduced latitude and a product of rotation matrices.
Distance: Vincenty's inverse solution on the ellipsoid (Survey Review 23, 1975).

Run with Python 3.11 and numpy 2.4.6:  python3 positioning_tangent_plane.py > positioning_tangent_plane.csv
"""
import numpy as np

L = np.longdouble
A = L(6378137)
F = 1 / L("298.257223563")
B = A * (1 - F)
DEGREE = L("3.14159265358979323846264338327950288") / 180


def centred(lat, lon):
    """Earth-centred coordinates through the reduced latitude."""
    phi, lam = L(lat) * DEGREE, L(lon) * DEGREE
    y, x = (1 - F) * np.sin(phi), np.cos(phi)
    n = np.hypot(x, y)
    return np.array([A * x / n * np.cos(lam), A * x / n * np.sin(lam), B * y / n], dtype=L)


def east_north(lat0, lon0, lat, lon):
    """Turn about z by the longitude, then about y by the latitude."""
    phi, lam = L(lat0) * DEGREE, L(lon0) * DEGREE
    about_z = np.array([[np.cos(lam), np.sin(lam), 0], [-np.sin(lam), np.cos(lam), 0], [0, 0, 1]], dtype=L)
    about_y = np.array([[np.cos(phi), 0, np.sin(phi)], [0, 1, 0], [-np.sin(phi), 0, np.cos(phi)]], dtype=L)
    _, east, north = about_y @ about_z @ (centred(lat, lon) - centred(lat0, lon0))
    return east, north


def vincenty(lat1, lon1, lat2, lon2):
    u1 = np.arctan2((1 - F) * np.sin(L(lat1) * DEGREE), np.cos(L(lat1) * DEGREE))
    u2 = np.arctan2((1 - F) * np.sin(L(lat2) * DEGREE), np.cos(L(lat2) * DEGREE))
    difference = (L(lon2) - L(lon1)) * DEGREE
    lam = difference
    for _ in range(50):
        ss = np.hypot(np.cos(u2) * np.sin(lam), np.cos(u1) * np.sin(u2) - np.sin(u1) * np.cos(u2) * np.cos(lam))
        if ss == 0:
            return L(0)
        cs = np.sin(u1) * np.sin(u2) + np.cos(u1) * np.cos(u2) * np.cos(lam)
        sigma = np.arctan2(ss, cs)
        sa = np.cos(u1) * np.cos(u2) * np.sin(lam) / ss
        c2a = 1 - sa**2
        c2m = cs - 2 * np.sin(u1) * np.sin(u2) / c2a if c2a > 0 else L(0)
        c = F / 16 * c2a * (4 + F * (4 - 3 * c2a))
        lam = difference + (1 - c) * F * sa * (sigma + c * ss * (c2m + c * cs * (2 * c2m**2 - 1)))
    k = c2a * (A**2 - B**2) / B**2
    p = 1 + k / 16384 * (4096 + k * (-768 + k * (320 - 175 * k)))
    q = k / 1024 * (256 + k * (-128 + k * (74 - 47 * k)))
    delta = q * ss * (c2m + q / 4 * (cs * (2 * c2m**2 - 1) - q / 6 * c2m * (4 * ss**2 - 3) * (4 * c2m**2 - 3)))
    return B * p * (sigma - delta)


print("# latitude0, longitude0, latitude, longitude (degrees), east, north, geodesic distance (metres)")
origins = [(0, 0), (48.137, 11.575), (-33.86, 151.21), (89.99, 45), (-89.95, -120), (90, 0), (65, 180), (-17.5, -179.99), (37.42, -122.09)]
offsets = [(0, 0), (0.001, 0), (0, 0.001), (-0.05, 0.07), (0.08, -0.11), (0.004, 0.09)]
for lat0, lon0 in origins:
    for dlat, dlon in offsets:
        lat, lon = lat0 + dlat, lon0 + dlon
        if abs(lat) > 90:
            lat = 2 * np.sign(lat) * 90 - lat
        east, north = east_north(lat0, lon0, lat, lon)
        print(f"{lat0!r},{lon0!r},{lat!r},{lon!r},{east:.9f},{north:.9f},{vincenty(lat0, lon0, lat, lon):.9f}".replace("np.float64(", "").replace(")", ""))
