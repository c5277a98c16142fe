// What the widget host (JupyterLab, VS Code, Colab, ...) gives: the types of anywidget's
// model that are used here, and a watch on the kernel behind it. Used by the loader and
// by the connection.

/** The head of a comm message: told apart by `type`, checked by whoever reads it. */
export interface Head {
  type: string;
  [field: string]: unknown;
}

export type Buffers = readonly (DataView | ArrayBuffer)[];
export type MessageHandler = (head: Head, buffers?: Buffers) => void;

/** anywidget's model proxy. `initialize` and each `render` get one of their own. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(head: Head, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(name: string, handler: (...args: never[]) => void): void;
  off(name: string, handler?: ((...args: never[]) => void) | null): void;
  widget_manager?: unknown;
}

/** Adds a handler that leaves with `signal`. */
export function listen(
  model: Model,
  name: string,
  handler: (...args: never[]) => void,
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  model.on(name, handler);
  signal.addEventListener("abort", () => model.off(name, handler), { once: true });
}

interface Signal {
  connect(slot: (sender: unknown, args: unknown) => void): unknown;
  disconnect(slot: (sender: unknown, args: unknown) => void): unknown;
}

interface Kernel {
  statusChanged?: Signal;
  disposed?: Signal;
}

const GONE: ReadonlyMap<unknown, string> = new Map([
  ["restarting", "The kernel was restarted. Run the cell again."],
  ["autorestarting", "The kernel died and was restarted. Run the cell again."],
  ["terminating", "The kernel was shut down. Start it and run the cell again."],
  ["dead", "The kernel died. Restart it and run the cell again."],
]);

/**
 * Calls `gone` with what to do when the kernel ends or takes the comm away. Hosts differ
 * in what they tell: this hears the comm's own events everywhere, and JupyterLab's kernel
 * where the widget manager shows it.
 */
export function watchKernel(
  model: Model,
  gone: (text: string) => void,
  signal: AbortSignal,
): void {
  // ipywidgets' manager takes `comm_live` away from every model when its kernel restarts.
  listen(
    model,
    "comm_live_update",
    () => gone("The kernel was restarted. Run the cell again."),
    signal,
  );
  const kernel = (model.widget_manager as { kernel?: Kernel } | undefined)?.kernel;
  const onStatus = (_: unknown, status: unknown) => {
    const text = GONE.get(status);
    if (text !== undefined) gone(text);
  };
  const onDisposed = () =>
    gone("The notebook has another kernel now. Run the cell again.");
  kernel?.statusChanged?.connect(onStatus);
  kernel?.disposed?.connect(onDisposed);
  signal.addEventListener("abort", () => {
    kernel?.statusChanged?.disconnect(onStatus);
    kernel?.disposed?.disconnect(onDisposed);
  });
}
