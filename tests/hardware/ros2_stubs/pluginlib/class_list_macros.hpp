#pragma once
#define PLUGINLIB_EXPORT_CLASS(kind, base)
