// Search from a folder: browsers start no workers for pages of file://. There, a worker's script runs in a hidden
// frame of its own, and messages go back and forth as from a worker. Pages that come from a server are left alone.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.later(data, (event) => this.tell(event));
      this.ready = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location);
        script.onload = resolve;
        script.onerror = reject;
        inside.document.head.append(script);
      });
      this.ready.catch(() => this.tell(new ErrorEvent("error")));
    }

    // As between threads: a copy, and not before what is running now has ended.
    later(data, deliver) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => deliver(event));
    }

    tell(event) {
      this.dispatchEvent(event);
      const handler = this[`on${event.type}`];
      if (handler) handler.call(this, event);
    }

    postMessage(data) {
      this.ready.then(() => this.later(data, (event) => this.frame.contentWindow.dispatchEvent(event)));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
