#pragma once
#include "rclcpp/logger.hpp"
#define ROS_LOG_(logger, ...) do { (void)(logger); } while (false)
#define RCLCPP_ERROR ROS_LOG_
#define RCLCPP_WARN ROS_LOG_
#define RCLCPP_INFO ROS_LOG_
#define RCLCPP_DEBUG ROS_LOG_
#define RCLCPP_FATAL ROS_LOG_
#define RCLCPP_ERROR_STREAM(l, m) (void)(l)
#define RCLCPP_WARN_THROTTLE(l, ...) (void)(l)
#define RCLCPP_WARN_EXPRESSION(l, ...) (void)(l)
#define RCLCPP_WARN_ONCE(l, ...) (void)(l)
#define RCLCPP_ERROR_THROTTLE(l, ...) (void)(l)
