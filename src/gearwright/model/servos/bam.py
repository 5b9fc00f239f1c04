"""Servos as the Better Actuator Models project has identified them from recordings, and a reader for its files.

Duclusaud, Passault, Padois and Ly, "Extended Friction Models for the Physics Simulation of Servo Actuators" (ICRA
2025). The numbers are those of github.com/Rhoban/bam, Apache-2.0, by their names there: one model after another with
more friction, M1 (Coulomb and viscous) to M6 (Stribeck, by load, apart for motor and load, quadratic).
"""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.model.frictions.friction import Friction

M1 = ("kt", "R", "armature", "friction_base", "friction_viscous")
STRIBECK = ("friction_stribeck", "dtheta_stribeck", "alpha")
M2 = (*M1, *STRIBECK)
M3 = (*M1, "load_friction_base")
M4 = (*M3, *STRIBECK, "load_friction_stribeck")
SIDES = (
    "load_friction_motor", "load_friction_external", "load_friction_motor_stribeck", "load_friction_external_stribeck",
)  # fmt: skip
M5 = (*M2, *SIDES)
M6 = (*M5, "load_friction_motor_quad", "load_friction_external_quad")
MODELS = {"m1": M1, "m2": M2, "m3": M3, "m4": M4, "m5": M5, "m6": M6}

_TABLE = """
erob80-100-bam-m1 7.65787 0 0.958953 5.61097 8.39232
erob80-100-bam-m2 7.70956 0 0.973202 0 9.57066 5.45519 2.07976 3
erob80-100-bam-m3 9.46925 0 0.988756 4.83228 7.39526 0.147981
erob80-100-bam-m4 9.80044 0 0.94698 0.000125062 9.02902 2.12682e-06 4.38167 1.97709 2.99993 0.166142
erob80-100-bam-m5 8.76511 0 0.74442 0.000854442 8.88839 3.89717 1.84992 2.99912 0.00143866 3.39229e-06
  7.95025e-05 0.254474
erob80-100-bam-m6 9.3963 0 1.1351 0.000477966 9.70933 5.22642 2.03303 2.99993 0.0488877 7.62632e-08
  8.82328e-06 0.0511667 0.00270292 0.00255626
erob80-50-bam-m1 4.5434 2.50882 0.336939 4.09665 1.29806
erob80-50-bam-m2 4.54366 2.52114 0.334516 4.08623 1.3132 1.65049e-08 0.961777 1.43894
erob80-50-bam-m3 4.81924 2.20465 0.329279 3.46658 1.20727 0.0629219
erob80-50-bam-m4 4.82232 1.82039 0.33383 3.4537 1.21663 0.0630873 9.21844e-06 0.346014 2.72716 7.12572e-07
erob80-50-bam-m5 4.81832 0.857486 0.331076 2.36733 1.60888 0.837993 2.26389 2.98473 0.0341818 0.000267909
  0.0154043 0.0849627
erob80-50-bam-m6 4.89677 1.0735 0.36174 3.25894 1.40339 0.320431 2.83039 1.78644 0.0356619 0.000843166
  0.00377099 0.041438 0.00187212 0.0015991
sts3215-bam-m1 1.21164 2.67617 0.0284034 0.052393 0.0590852
mx106-bam-m1 2.19138 2.96499 0.0266092 0.10352 0.0352024
mx106-bam-m2 2.19096 2.9609 0.0268388 2.76855e-06 0.0595894 0.117421 1.84878 1.74139
mx106-bam-m3 2.20417 2.65335 0.0248469 0.113353 0.0119445 0.10824
mx106-bam-m4 2.23139 2.37175 0.024574 0 0.0509608 0.00915033 0.104911 1.62329 1.32349 0.222359
mx106-bam-m5 2.20878 2.01424 0.0260182 0 0.0506649 0.122427 1.74571 1.13831 0.207637 0.0226843 0.195193
  0.0849016
mx106-bam-m6 2.20983 2.03366 0.0260162 1.02325e-05 0.0507157 0.121954 1.74632 1.14283 0.198006 0.0222155
  0.1986 0.0871033 0.00999993 7.32692e-05
mx64-bam-m1 1.62247 3.94943 0.0119512 0.0903868 0.0116916
mx64-bam-m2 1.62044 3.89442 0.0119237 0.0561193 0.0191808 0.0818641 1.12025 3
mx64-bam-m3 1.63149 3.57089 0.0112379 0.102167 0.000630028 0.0758008
mx64-bam-m4 1.66316 3.156 0.0109612 0.0615495 0.0147549 0 0.0238953 1.52058 1.3344 0.23429
mx64-bam-m5 1.58743 2.41435 0.0117289 0.0750196 0.0149089 0.0222332 0.746172 1.29304 0.3848 0 0.030124
  0.165896
mx64-bam-m6 1.60168 2.3164 0.0122659 6.21792e-07 0.025337 0.122695 2.57528 0.840902 0.311472 2.0462e-08
  0.187744 0.0140658 0.00690851 0.00999998
xl320-bam-m1 0.986947 35.6091 0.00111895 0.0275145 0.00331761
xl320-bam-m2 0.941294 34.1761 0.00110832 0 0.00914867 0.0298939 2.32863 1.2291
xl320-bam-m3 1.04085 27.5431 0.0014986 0.0206305 0.00226335 0.21898
xl320-bam-m4 0.994853 26.2 0.00148196 0 0.0077944 0.221387 0.0215035 1.96728 1.83624 0
xl320-bam-m5 1.00899 31.5954 0.00116238 6.93676e-09 0.00722449 0.0162886 2.30267 1.70366 3.0271e-08 0.158058
  7.42559e-09 0.246234
xl320-bam-m6 1.00883 31.5859 0.00116299 4.33378e-07 0.00722517 0.0163055 2.30105 1.70674 3.08821e-06 0.158325
  5.96572e-09 0.245483 0.00361641 0.00471093
xl330-bam-m1 0.386696 4.01713 0.00181417 0.0128327 0.00366167
xl330-bam-m2 0.385281 4.00026 0.00181928 0 0.00562085 0.0126512 4.16652 1.36364
xl330-bam-m3 0.38042 3.38007 0.00191777 0.00888171 0.0043791 0.121665
xl330-bam-m4 0.386171 3.40257 0.00189546 0.00875863 0.00462103 0.0680336 0 2.5577 0.760116 0.0738118
xl330-bam-m5 0.362213 2.75191 0.00184689 0.000365952 0.00634803 0.00867789 3.18891 2.9904 0.289652 0
  3.05745e-05 0.0586825
xl330-bam-m6 0.366013 2.81139 0.00180774 0.00477118 0.00535967 0.00467635 2.89037 8.68326 0.266786 8.51587e-06
  1.07229e-05 0.0807793 0.00997247 0.00490257
"""


def _table() -> Mapping[str, Mapping[str, float]]:
    """By name; a name and the numbers of its model."""
    found: dict[str, list[float]] = {}
    for word in _TABLE.split():
        if "-bam-" in word:
            found[word] = numbers = []
        else:
            numbers.append(float(word))
    return {name: dict(zip(MODELS[name[-2:]], row, strict=True)) for name, row in found.items()}


IDENTIFIED: Mapping[str, Mapping[str, float]] = _table()


def friction_of(numbers: Mapping[str, float]) -> Friction:
    """The friction of one identified model."""
    base, viscous = numbers["friction_base"], numbers["friction_viscous"]
    more: dict[str, float] = {}
    names = {
        "load_friction_base": "load", "load_friction_stribeck": "stribeck_load",
        "load_friction_motor": "motor_load", "load_friction_external": "external_load",
        "load_friction_motor_stribeck": "stribeck_motor_load",
        "load_friction_external_stribeck": "stribeck_external_load",
        "load_friction_motor_quad": "motor_load_square", "load_friction_external_quad": "external_load_square",
    }  # fmt: skip
    more |= {ours: numbers[theirs] for theirs, ours in names.items() if theirs in numbers}
    if "friction_stribeck" in numbers:
        more |= {
            "static": base + numbers["friction_stribeck"], "stribeck_speed": numbers["dtheta_stribeck"],
            "stribeck_exponent": numbers["alpha"],
        }  # fmt: skip
    return Friction(kinetic=base, viscous=viscous, **more)
