// Prints what libsdformat reads from SDFormat files: links with pose, mass, centre and inertia, and joints' axes.
// One line a part, fields separated by tabs; "refused" and the first error where a file does not load.
#include <cstdio>
#include <string>

#include <sdf/sdf.hh>

using ignition::math::Pose3d;
using ignition::math::Vector3d;

static void numbers(std::initializer_list<double> values) {
  for (double v : values) std::printf("\t%.17g", v);
}

static void printLink(const sdf::Link &link, const std::string &prefix, const Pose3d &X_WM) {
  Pose3d X_ML;
  if (!link.SemanticPose().Resolve(X_ML, "__model__").empty()) return;
  const Pose3d X = X_WM * X_ML;
  const auto &inertial = link.Inertial();
  const Vector3d c = inertial.Pose().Pos();
  const auto I = inertial.Moi();
  std::printf("link\t%s%s", prefix.c_str(), link.Name().c_str());
  numbers({X.Pos().X(), X.Pos().Y(), X.Pos().Z(), X.Rot().W(), X.Rot().X(), X.Rot().Y(), X.Rot().Z()});
  numbers({inertial.MassMatrix().Mass(), c.X(), c.Y(), c.Z()});
  numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
  std::printf("\n");
}

static void printJoint(const sdf::Joint &joint, const std::string &prefix) {
  for (unsigned i = 0; i < 2; ++i) {
    const sdf::JointAxis *axis = joint.Axis(i);
    Vector3d xyz;
    if (axis == nullptr || !axis->ResolveXyz(xyz).empty()) continue;
    std::printf("axis\t%s%s\t%u", prefix.c_str(), joint.Name().c_str(), i);
    numbers({xyz.X(), xyz.Y(), xyz.Z(), axis->Lower(), axis->Upper(), axis->Effort(), axis->MaxVelocity()});
    numbers({axis->Damping(), axis->Friction(), axis->SpringStiffness(), axis->SpringReference()});
    std::printf("\n");
  }
}

static void printModel(const sdf::Model &model, const std::string &prefix, const Pose3d &X_WP) {
  Pose3d X_PM;
  if (!model.SemanticPose().Resolve(X_PM).empty()) X_PM = model.RawPose();
  const Pose3d X_WM = X_WP * X_PM;
  for (uint64_t i = 0; i < model.LinkCount(); ++i) printLink(*model.LinkByIndex(i), prefix, X_WM);
  for (uint64_t i = 0; i < model.JointCount(); ++i) printJoint(*model.JointByIndex(i), prefix);
  for (uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model *inner = model.ModelByIndex(i);
    printModel(*inner, prefix + inner->Name() + "::", X_WM);
  }
}

int main(int argc, char **argv) {
  sdf::Console::Instance()->SetQuiet(true);
  for (int i = 1; i < argc; ++i) {
    std::printf("file\t%s\n", argv[i]);
    sdf::Root root;
    const sdf::Errors errors = root.Load(argv[i]);
    if (!errors.empty()) {
      std::string message = errors.front().Message();
      for (char &c : message) c = c == '\n' || c == '\t' ? ' ' : c;
      std::printf("refused\t%s\n", message.c_str());
      continue;
    }
    if (root.Model() != nullptr) printModel(*root.Model(), "", Pose3d::Zero);
    for (uint64_t w = 0; w < root.WorldCount(); ++w) {
      const sdf::World &world = *root.WorldByIndex(w);
      for (uint64_t m = 0; m < world.ModelCount(); ++m) {
        const sdf::Model *model = world.ModelByIndex(m);
        printModel(*model, model->Name() + "::", Pose3d::Zero);
      }
    }
  }
  return 0;
}
