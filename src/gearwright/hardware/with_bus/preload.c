/* Raw CAN sockets and serial ports of a program, redirected to a simulated robot: LD_PRELOAD of `gearwright with-bus`.
 *
 * A raw CAN socket becomes a unix socket of datagrams, which the server speaks the kernel's frames on, so that read,
 * write, select, poll and epoll work by themselves. Here are only the calls that know what a CAN socket is.
 * transports/raw_can.py is the other side. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 4096, MOST_NAMES = 64, FIRST_INDEX = 7000, MOST_FILTERS = 512 };
enum { SETTING_WORDS = 2, FRAME_WORDS = 18, PATIENCE = 1000 /* [ms] */ };

typedef struct {
    char used, connected, stamped; /* stamped: the program asked for time stamps */
    int index, own, fd_frames, loopback, filters;
    struct can_filter filter[MOST_FILTERS];
} CanSocket;

typedef struct {
    char name[IFNAMSIZ];
} Interface;

static CanSocket *sockets[MOST_FILES];
static Interface interfaces[MOST_NAMES];
static int interface_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* The place of a name in an environment variable of lines NAME=PLACE; 0 if it is not there. */
static int find(const char *variable, const char *name, char *place, size_t size) {
    const char *line = getenv(variable);
    size_t length = strlen(name);
    while (line && *line) {
        const char *end = strchr(line, '\n');
        size_t whole = end ? (size_t)(end - line) : strlen(line);
        if (whole > length && line[length] == '=' && !strncmp(line, name, length)) {
            snprintf(place, size, "%.*s", (int)(whole - length - 1), line + length + 1);
            return 1;
        }
        line = end ? end + 1 : NULL;
    }
    return 0;
}

static int socket_path(const char *name, char *path, size_t size) {
    char channel[80];
    const char *folder = getenv("GEARWRIGHT_WITH_FOLDER");
    struct stat found;
    if (!folder) return 0;
    if (!find("GEARWRIGHT_WITH_CAN", name, channel, sizeof channel)) snprintf(channel, sizeof channel, "%s", name);
    if ((size_t)snprintf(path, size, "%s/%s.frames", folder, channel) >= size) return 0;
    return REAL(stat)(path, &found) == 0;
}

/* The number of an interface that a server has a channel for; 0 if there is none. */
static int index_of(const char *name) {
    char path[108];
    int k;
    if (!socket_path(name, path, sizeof path)) return 0;
    pthread_mutex_lock(&lock);
    for (k = 0; k < interface_count; k++)
        if (!strncmp(interfaces[k].name, name, IFNAMSIZ)) break;
    if (k == interface_count && k < MOST_NAMES) snprintf(interfaces[interface_count++].name, IFNAMSIZ, "%s", name);
    pthread_mutex_unlock(&lock);
    return k < MOST_NAMES ? FIRST_INDEX + k : 0;
}

static const char *name_of(int index) {
    int k = index - FIRST_INDEX;
    return k >= 0 && k < interface_count ? interfaces[k].name : NULL;
}

static CanSocket *of(int file) { return file >= 0 && file < MOST_FILES ? sockets[file] : NULL; }

static int tell(int file, unsigned option, const void *value, size_t size) {
    unsigned words[SETTING_WORDS] = {0xFFFFFFFFu, option};
    char message[sizeof words + sizeof(struct can_filter) * MOST_FILTERS];
    memcpy(message, words, sizeof words);
    memcpy(message + sizeof words, value, size);
    return REAL(send)(file, message, sizeof words + size, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* Sets the filters, and drops what has come before the server has them. */
static void tell_filters(int file, CanSocket *s) {
    struct pollfd wait = {file, POLLIN, 0};
    unsigned word[FRAME_WORDS];
    ssize_t got;
    if (tell(file, CAN_RAW_FILTER, s->filter, s->filters * sizeof *s->filter)) return;
    do {
        if (REAL(poll)(&wait, 1, PATIENCE) != 1) return;
        got = REAL(recv)(file, word, sizeof word, MSG_DONTWAIT);
    } while (got > 0 && (got != SETTING_WORDS * sizeof *word || word[0] != 0xFFFFFFFFu));
}

static void tell_all(int file, CanSocket *s) {
    tell_filters(file, s);
    tell(file, CAN_RAW_RECV_OWN_MSGS, &s->own, sizeof s->own);
    tell(file, CAN_RAW_FD_FRAMES, &s->fd_frames, sizeof s->fd_frames);
}

int socket(int domain, int type, int protocol) {
    int file;
    if (domain != AF_CAN || (type & 0xF) != SOCK_RAW || protocol != CAN_RAW) return REAL(socket)(domain, type, protocol);
    file = REAL(socket)(AF_UNIX, SOCK_SEQPACKET | (type & (SOCK_NONBLOCK | SOCK_CLOEXEC)), 0);
    if (file >= MOST_FILES) {
        REAL(close)(file);
        errno = EMFILE;
        return -1;
    }
    if (file >= 0) {
        CanSocket *s = calloc(1, sizeof *s);
        if (!s) {
            REAL(close)(file);
            errno = ENOMEM;
            return -1;
        }
        s->used = 1;
        s->filters = 1; /* all zero: everything passes */
        s->loopback = 1;
        sockets[file] = s;
    }
    return file;
}

int bind(int file, const struct sockaddr *address, socklen_t length) {
    CanSocket *s = of(file);
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    const struct sockaddr_can *can = (const struct sockaddr_can *)address;
    const char *name;
    int flags, failed;
    if (!s) return REAL(bind)(file, address, length);
    if (!can->can_ifindex) index_of("can0"); /* all interfaces: ours is the only one */
    name = name_of(can->can_ifindex ? can->can_ifindex : FIRST_INDEX);
    if (!name || !socket_path(name, place.sun_path, sizeof place.sun_path)) {
        errno = ENODEV;
        return -1;
    }
    flags = REAL(fcntl)(file, F_GETFL);
    REAL(fcntl)(file, F_SETFL, flags & ~O_NONBLOCK);
    failed = REAL(connect)(file, (struct sockaddr *)&place, sizeof place);
    REAL(fcntl)(file, F_SETFL, flags);
    if (failed) return -1;
    s->index = can->can_ifindex ? can->can_ifindex : FIRST_INDEX;
    s->connected = 1;
    tell_all(file, s);
    return 0;
}

int close(int file) {
    CanSocket *s = of(file);
    if (s) {
        sockets[file] = NULL;
        free(s);
    }
    return REAL(close)(file);
}

int setsockopt(int file, int level, int option, const void *value, socklen_t length) {
    CanSocket *s = of(file);
    int number = value && length >= sizeof(int) ? *(const int *)value : 0;
    if (!s) return REAL(setsockopt)(file, level, option, value, length);
    if (level == SOL_SOCKET) {
        if (option == SO_TIMESTAMP || option == SO_TIMESTAMPNS) {
            s->stamped = number ? (option == SO_TIMESTAMP ? 1 : 2) : 0;
            return 0;
        }
        return REAL(setsockopt)(file, level, option, value, length);
    }
    if (level != SOL_CAN_RAW) {
        errno = ENOPROTOOPT;
        return -1;
    }
    if (option == CAN_RAW_FILTER) {
        s->filters = length / sizeof *s->filter;
        if (s->filters > MOST_FILTERS) {
            errno = EINVAL;
            return -1;
        }
        memcpy(s->filter, value, s->filters * sizeof *s->filter);
    } else if (option == CAN_RAW_RECV_OWN_MSGS) {
        s->own = number;
    } else if (option == CAN_RAW_FD_FRAMES) {
        s->fd_frames = number;
    } else if (option == CAN_RAW_LOOPBACK) {
        s->loopback = number;
    }
    if (s->connected && option == CAN_RAW_FILTER) tell_filters(file, s);
    if (s->connected && option == CAN_RAW_RECV_OWN_MSGS) tell(file, option, &s->own, sizeof s->own);
    if (s->connected && option == CAN_RAW_FD_FRAMES) tell(file, option, &s->fd_frames, sizeof s->fd_frames);
    return 0;
}

int getsockopt(int file, int level, int option, void *value, socklen_t *length) {
    CanSocket *s = of(file);
    int number = 0;
    if (!s || level != SOL_CAN_RAW) return REAL(getsockopt)(file, level, option, value, length);
    if (option == CAN_RAW_RECV_OWN_MSGS) number = s->own;
    if (option == CAN_RAW_FD_FRAMES) number = s->fd_frames;
    if (option == CAN_RAW_LOOPBACK) number = s->loopback;
    if (*length > sizeof number) *length = sizeof number;
    memcpy(value, &number, *length);
    return 0;
}

static void fill_address(CanSocket *s, void *address, socklen_t *length) {
    struct sockaddr_can can = {.can_family = AF_CAN, .can_ifindex = s->index};
    if (!address || !length) return;
    if (*length > sizeof can) *length = sizeof can;
    memcpy(address, &can, *length);
}

int getsockname(int file, struct sockaddr *address, socklen_t *length) {
    CanSocket *s = of(file);
    if (!s) return REAL(getsockname)(file, address, length);
    fill_address(s, address, length);
    return 0;
}

ssize_t sendto(int file, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
    if (of(file)) return REAL(send)(file, data, size, flags);
    return REAL(sendto)(file, data, size, flags, address, length);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    struct msghdr plain;
    if (!of(file)) return REAL(sendmsg)(file, message, flags);
    plain = *message;
    plain.msg_name = NULL;
    plain.msg_namelen = 0;
    plain.msg_control = NULL;
    plain.msg_controllen = 0;
    return REAL(sendmsg)(file, &plain, flags);
}

ssize_t recvfrom(int file, void *data, size_t size, int flags, struct sockaddr *address, socklen_t *length) {
    CanSocket *s = of(file);
    ssize_t got;
    if (!s) return REAL(recvfrom)(file, data, size, flags, address, length);
    got = REAL(recv)(file, data, size, flags);
    if (got >= 0) fill_address(s, address, length);
    return got;
}

static void add_stamp(CanSocket *s, struct msghdr *message, void *control, size_t room) {
    struct timespec now;
    struct timeval micro;
    struct cmsghdr *head = control;
    size_t size = s->stamped == 1 ? sizeof micro : sizeof now;
    message->msg_control = control;
    message->msg_controllen = 0;
    if (!s->stamped || !control || room < CMSG_SPACE(size)) return;
    clock_gettime(CLOCK_REALTIME, &now);
    micro.tv_sec = now.tv_sec;
    micro.tv_usec = now.tv_nsec / 1000;
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = s->stamped == 1 ? SO_TIMESTAMP : SO_TIMESTAMPNS;
    head->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(head), s->stamped == 1 ? (void *)&micro : (void *)&now, size);
    message->msg_controllen = CMSG_SPACE(size);
}

ssize_t recvmsg(int file, struct msghdr *message, int flags) {
    CanSocket *s = of(file);
    void *control, *name;
    size_t room;
    ssize_t got;
    if (!s) return REAL(recvmsg)(file, message, flags);
    control = message->msg_control;
    room = message->msg_controllen;
    name = message->msg_name;
    message->msg_control = NULL;
    message->msg_controllen = 0;
    message->msg_name = NULL;
    got = REAL(recvmsg)(file, message, flags);
    message->msg_name = name;
    message->msg_flags &= ~MSG_EOR;
    if (got >= 0) {
        fill_address(s, name, &message->msg_namelen);
        add_stamp(s, message, control, room);
    }
    return got;
}

unsigned if_nametoindex(const char *name) {
    int index = index_of(name);
    return index ? (unsigned)index : REAL(if_nametoindex)(name);
}

char *if_indextoname(unsigned index, char name[IF_NAMESIZE]) {
    const char *ours = name_of((int)index);
    return ours ? strcpy(name, ours) : REAL(if_indextoname)(index, name);
}

int ioctl(int file, unsigned long request, ...) {
    va_list rest;
    void *argument;
    struct ifreq *asked;
    int index;
    va_start(rest, request);
    argument = va_arg(rest, void *);
    va_end(rest);
    asked = argument;
    if (request == SIOCGIFNAME && name_of(asked->ifr_ifindex)) {
        snprintf(asked->ifr_name, IFNAMSIZ, "%s", name_of(asked->ifr_ifindex));
        return 0;
    }
    if (request == SIOCGIFINDEX || request == SIOCGIFMTU || request == SIOCGIFFLAGS) {
        index = index_of(asked->ifr_name);
        if (index) {
            if (request == SIOCGIFINDEX) asked->ifr_ifindex = index;
            if (request == SIOCGIFMTU) asked->ifr_mtu = CANFD_MTU;
            if (request == SIOCGIFFLAGS) asked->ifr_flags = IFF_UP | IFF_RUNNING;
            return 0;
        }
    }
    return REAL(ioctl)(file, request, argument);
}

/* --- serial ports ------------------------------------------------------------------------------------------- */

static const char *port(const char *path, char *place, size_t size) {
    return path && find("GEARWRIGHT_WITH_PORTS", path, place, size) ? place : path;
}

#define MODE(flags, mode)                                  \
    do {                                                   \
        if ((flags) & (O_CREAT | __O_TMPFILE)) {           \
            va_list rest;                                  \
            va_start(rest, flags);                         \
            mode = va_arg(rest, mode_t);                   \
            va_end(rest);                                  \
        }                                                  \
    } while (0)

int open(const char *path, int flags, ...) {
    char place[4096];
    mode_t mode = 0;
    MODE(flags, mode);
    return REAL(open)(port(path, place, sizeof place), flags, mode);
}

int open64(const char *path, int flags, ...) {
    char place[4096];
    mode_t mode = 0;
    MODE(flags, mode);
    return REAL(open64)(port(path, place, sizeof place), flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    char place[4096];
    mode_t mode = 0;
    MODE(flags, mode);
    return REAL(openat)(folder, port(path, place, sizeof place), flags, mode);
}

int access(const char *path, int mode) {
    char place[4096];
    return REAL(access)(port(path, place, sizeof place), mode);
}

int stat(const char *path, struct stat *found) {
    char place[4096];
    return REAL(stat)(port(path, place, sizeof place), found);
}
