"""Stages as text: an arm of two links with what a test adds."""

HEAD = '#usda 1.0\n(\ndefaultPrim = "arm"\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)\n'


def link(name, at=(0, 0, 0), more="", apis=(), inside=""):
    schemas = ", ".join(f'"{a}"' for a in ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *apis))
    return f'''
    def Xform "{name}" (prepend apiSchemas = [{schemas}])
    {{
        double3 xformOp:translate = ({at[0]}, {at[1]}, {at[2]})
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
        {more}
        {inside}
    }}'''


def joint(name, parent, child, more="", kind="PhysicsRevoluteJoint", apis=(), axis="Z"):
    listed = ", ".join(f'"{a}"' for a in apis)
    schemas = f"(prepend apiSchemas = [{listed}])" if apis else ""
    ends = "".join(
        f"rel physics:body{i} = </arm/{body}>\n        " for i, body in enumerate((parent, child)) if body is not None
    )
    token = f'uniform token physics:axis = "{axis}"' if axis else ""
    return f'''
    def {kind} "{name}" {schemas}
    {{
        {ends}{token}
        {more}
    }}'''


def arm(*parts, head=HEAD):
    return f'{head}def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])\n{{{"".join(parts)}\n}}\n'


def two(more="", other="", apis=(), kind="PhysicsRevoluteJoint", head=HEAD, axis="Z"):
    """Links a, b and c, and joints `first` and `second`."""
    return arm(
        link("a"), link("b"), link("c"), joint("first", "a", "b", other, kind=kind, axis=axis),
        joint("second", "b", "c", more, kind=kind, apis=apis, axis=axis), head=head,
    )  # fmt: skip
