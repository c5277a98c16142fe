// What the browser keeps of a notebook's panels, for the kernel: a small JSON object under
// a key of the notebook and the session. Owned by the widget's connection. Where there is
// no storage, in private windows say, nothing is remembered and nothing fails.

export interface Memory {
  /** What is kept; null when nothing is, or nothing that can be read. */
  load(): object | null;
  save(value: object | null): void;
}

// As studio_nb/memory.py has it, in characters here.
const LIMIT = 64 * 1024;

export function browserMemory(key: string): Memory {
  const name = `studio_nb:memory:${key}`;
  return {
    load() {
      try {
        const text = localStorage.getItem(name) ?? "";
        const value: unknown = text.length <= LIMIT ? JSON.parse(text) : null;
        return typeof value === "object" && !Array.isArray(value) ? value : null;
      } catch {
        return null;
      }
    },
    save(value) {
      try {
        localStorage.setItem(name, JSON.stringify(value));
      } catch (error) {
        console.debug("studio_nb: the layout is not remembered:", error);
      }
    },
  };
}
