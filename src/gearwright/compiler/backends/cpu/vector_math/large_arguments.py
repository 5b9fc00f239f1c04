"""Angles beyond 10⁵: Payne and Hanek's reduction with 192-bit integers, one lane after the other, in a cold function.

With x = m·2ᵉ (m an integer of 53 bits) only 192 bits of 2/π matter: those above make whole turns, those below stay
under 2⁻¹³⁷. The product's two top bits are the quadrant, the rest is the fraction of a quadrant.
"""

from __future__ import annotations

from gearwright.compiler.backends.cpu.vector_math.trigonometric import PI_2_1, PI_2_LOW, SMALL_ARGUMENT

TWO_OVER_PI_BITS = 1280
TWO_OVER_PI = int(  # ⌊2/π · 2¹²⁸⁰⌋
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73e"
    "e88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b7"
    "4f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d",
    16,
)

_TEXT = """
define internal void @{function}(ptr noalias %buffer) cold noinline {{
entry:
  br label %lane
lane:  ; the buffer holds x, high and low part and quadrant, one after the other, lane by lane
  %l = phi i64 [ 0, %entry ], [ %l.next, %next ]
  %x.at = getelementptr double, ptr %buffer, i64 %l
  %x = load double, ptr %x.at
  %size = call double @llvm.fabs.f64(double %x)
  %large = fcmp ogt double %size, {limit}
  br i1 %large, label %reduce, label %next
reduce:
  %bits = bitcast double %size to i64
  %biased = lshr i64 %bits, 52
  %fraction = and i64 %bits, 4503599627370495
  %m = or i64 %fraction, 4503599627370496
  %m.wide = zext i64 %m to i192
  %shift = sub i64 {shift}, %biased  ; 1280 − 190 − e, with e = biased − 1075
  %byte = lshr i64 %shift, 3
  %bit = and i64 %shift, 7
  %bit.wide = zext i64 %bit to i256
  %table.at = getelementptr i8, ptr @two_over_pi, i64 %byte
  %loaded = load i256, ptr %table.at, align 1
  %window.wide = lshr i256 %loaded, %bit.wide
  %window = trunc i256 %window.wide to i192
  %product = mul i192 %m.wide, %window
  %raised = add i192 %product, {half}
  %quarter.wide = lshr i192 %raised, 190
  %quarter = trunc i192 %quarter.wide to i64
  %whole = shl i192 %quarter.wide, 190
  %rest = sub i192 %product, %whole  ; signed, in quadrants · 2¹⁹⁰
  %below = icmp slt i192 %rest, 0
  %negated = sub i192 0, %rest
  %rest.size = select i1 %below, i192 %negated, i192 %rest
  %zeros.wide = call i192 @llvm.ctlz.i192(i192 %rest.size, i1 false)
  %normal = shl i192 %rest.size, %zeros.wide
  %zeros = trunc i192 %zeros.wide to i64
  %top.wide = lshr i192 %normal, 139
  %top.int = trunc i192 %top.wide to i64
  %top = uitofp i64 %top.int to double
  %next.wide = lshr i192 %normal, 86
  %next.long = trunc i192 %next.wide to i64
  %next.int = and i64 %next.long, 9007199254740991
  %second = uitofp i64 %next.int to double
  %top.exponent = sub i64 972, %zeros      ; 1023 + 139 − 190
  %second.exponent = sub i64 919, %zeros   ; 1023 + 86 − 190
  %top.bits = shl i64 %top.exponent, 52
  %second.bits = shl i64 %second.exponent, 52
  %top.scale = bitcast i64 %top.bits to double
  %second.scale = bitcast i64 %second.bits to double
  %f.high = fmul double %top, %top.scale
  %f.low = fmul double %second, %second.scale
  %high = fmul double %f.high, {pi_2}
  %minus.high = fneg double %high
  %error = call double @llvm.fma.f64(double %f.high, double {pi_2}, double %minus.high)
  %error.2 = call double @llvm.fma.f64(double %f.high, double {pi_2_low}, double %error)
  %low = call double @llvm.fma.f64(double %f.low, double {pi_2}, double %error.2)
  %x.negative = fcmp olt double %x, 0.0
  %flip = xor i1 %below, %x.negative
  %high.negated = fneg double %high
  %low.negated = fneg double %low
  %high.signed = select i1 %flip, double %high.negated, double %high
  %low.signed = select i1 %flip, double %low.negated, double %low
  %quarter.negated = sub i64 0, %quarter
  %quadrant = select i1 %x.negative, i64 %quarter.negated, i64 %quarter
  %infinite = fcmp oeq double %size, 0x7FF0000000000000
  %high.final = select i1 %infinite, double 0x7FF8000000000000, double %high.signed
  %high.at = getelementptr double, ptr %x.at, i64 {lanes}
  %low.at = getelementptr double, ptr %high.at, i64 {lanes}
  %quadrant.at = getelementptr double, ptr %low.at, i64 {lanes}
  store double %high.final, ptr %high.at
  store double %low.signed, ptr %low.at
  store i64 %quadrant, ptr %quadrant.at
  br label %next
next:
  %l.next = add i64 %l, 1
  %more = icmp ult i64 %l.next, {lanes}
  br i1 %more, label %lane, label %done
done:
  ret void
}}
"""

DECLARATIONS = (
    "declare double @llvm.fabs.f64(double)",
    "declare double @llvm.fma.f64(double, double, double)",
    "declare i192 @llvm.ctlz.i192(i192, i1)",
)


def function(lanes: int) -> str:
    """Name of the function for buffers of so many lanes."""
    return f"reduce_large_arguments{lanes}"


def table() -> str:
    """LLVM text of the digits of 2/π."""
    digits = "".join(f"\\{byte:02X}" for byte in TWO_OVER_PI.to_bytes(176, "little"))
    return f'@two_over_pi = internal constant [176 x i8] c"{digits}", align 16'


def definition(lanes: int) -> str:
    """LLVM text of the function."""
    return _TEXT.format(
        function=function(lanes),
        lanes=lanes,
        limit=f"{SMALL_ARGUMENT:e}",
        shift=TWO_OVER_PI_BITS - 190 + 1075,
        half=1 << 189,
        pi_2=_exact(PI_2_1),
        pi_2_low=_exact(PI_2_LOW),
    )


def _exact(value: float) -> str:
    from gearwright.compiler.backends.cpu.llvm.ir import number, types

    return number(value, types(1, "double"))
