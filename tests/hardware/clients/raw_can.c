/* A driver in C with its interface written in its code: asks node 1 of the echo protocol, by select and by poll. */
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int s = socket(PF_CAN, SOCK_RAW, CAN_RAW), fd_frames = 1;
    struct ifreq interface;
    struct sockaddr_can address = {0};
    struct can_frame frame = {.can_id = 0x101, .can_dlc = 3, .data = {1, 2, 3}};
    struct can_filter only = {.can_id = 0x181, .can_mask = CAN_SFF_MASK};
    fd_set ready;
    strcpy(interface.ifr_name, "can0");
    if (s < 0 || ioctl(s, SIOCGIFINDEX, &interface) < 0) return perror("can0"), 1;
    setsockopt(s, SOL_CAN_RAW, CAN_RAW_FILTER, &only, sizeof only);
    setsockopt(s, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &fd_frames, sizeof fd_frames);
    address.can_family = AF_CAN;
    address.can_ifindex = interface.ifr_ifindex;
    if (bind(s, (struct sockaddr *)&address, sizeof address) < 0) return perror("bind"), 1;
    if (write(s, &frame, sizeof frame) != sizeof frame) return perror("write"), 1;
    FD_ZERO(&ready);
    FD_SET(s, &ready);
    if (select(s + 1, &ready, NULL, NULL, &(struct timeval){5, 0}) != 1) return puts("no answer to select"), 1;
    if (read(s, &frame, sizeof frame) != sizeof frame) return perror("read"), 1;
    printf("%X %d %d %d %d\n", frame.can_id, frame.can_dlc, frame.data[0], frame.data[1], frame.data[2]);
    frame.can_id = 0x102; /* node 2: its answer does not pass the filter */
    if (write(s, &frame, sizeof frame) != sizeof frame) return perror("write"), 1;
    if (poll(&(struct pollfd){s, POLLIN, 0}, 1, 200) != 0) return puts("the filter lets it pass"), 1;
    puts("filtered");
    return close(s);
}
