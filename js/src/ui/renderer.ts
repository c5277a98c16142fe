// Draws the panels: Dear ImGui's lists by WebGL2, premultiplied, in the page's context for
// panels, and handed to each view's canvas. The widget owns one for its UiState and calls
// `draw` from the animation frame.

import {
  type DrawList,
  type TextureFormat,
  type TextureUpload,
  type UiState,
  VERTEX_BYTES,
} from "./lists";
import { presentUi, uiSurface } from "./surface";

const VERTEX_SHADER = `#version 300 es
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 color;
uniform vec2 size;
out vec2 texel;
out vec4 tint;
void main() {
  texel = uv;
  tint = color;
  gl_Position = vec4(position / size * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

const FRAGMENT_SHADER = `#version 300 es
precision mediump float;
in vec2 texel;
in vec4 tint;
uniform sampler2D image;
uniform bool alphaOnly;
out vec4 result;
void main() {
  vec4 sampled = texture(image, texel);
  vec4 straight = tint * (alphaOnly ? vec4(1.0, 1.0, 1.0, sampled.r) : sampled);
  result = vec4(straight.rgb * straight.a, straight.a);
}`;

interface GpuList {
  version: number;
  vao: WebGLVertexArrayObject;
  vertices: WebGLBuffer;
  indices: WebGLBuffer;
}

interface GpuTexture {
  handle: WebGLTexture;
  width: number;
  height: number;
  format: TextureFormat;
}

/** What lives in one WebGL context, and is gone with it. */
interface Gpu {
  generation: number;
  gl: WebGL2RenderingContext;
  program: WebGLProgram;
  size: WebGLUniformLocation | null;
  alphaOnly: WebGLUniformLocation | null;
  lists: Map<number, GpuList>;
  textures: Map<number, GpuTexture>;
}

export class UiRenderer {
  #gpu: Gpu | undefined;

  /**
   * @param ui What to draw.
   * @param lost Is called when the textures went away with their context: they must be
   *   sent again.
   */
  constructor(
    private readonly ui: UiState,
    private readonly lost: () => void,
  ) {}

  /** Draws the panels onto a view's canvas of `width` x `height` CSS pixels. */
  draw(target: HTMLCanvasElement, width: number, height: number, dpr: number): void {
    const w = Math.max(1, Math.round(width * dpr));
    const h = Math.max(1, Math.round(height * dpr));
    const { gl, canvas, generation } = uiSurface();
    if (gl.isContextLost()) return;
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    const gpu = this.#current(gl, generation);
    this.#upload(gpu);
    prepare(gpu, w, h);
    gl.uniform2f(gpu.size, w / dpr, h / dpr);
    for (const id of this.ui.order) {
      const list = this.ui.lists.get(id);
      if (list) this.#drawList(gpu, list, dpr, w, h);
    }
    presentUi(target);
  }

  dispose(): void {
    const gpu = this.#gpu;
    this.#gpu = undefined;
    if (!gpu) return;
    for (const list of gpu.lists.values()) deleteList(gpu.gl, list);
    for (const texture of gpu.textures.values()) gpu.gl.deleteTexture(texture.handle);
    gpu.gl.deleteProgram(gpu.program);
  }

  #current(gl: WebGL2RenderingContext, generation: number): Gpu {
    const old = this.#gpu;
    if (old?.generation === generation && old.gl === gl) return old;
    const program = compile(gl);
    this.#gpu = {
      generation,
      gl,
      program,
      size: gl.getUniformLocation(program, "size"),
      alphaOnly: gl.getUniformLocation(program, "alphaOnly"),
      lists: new Map(),
      textures: new Map(),
    };
    if (old) this.lost();
    return this.#gpu;
  }

  #upload(gpu: Gpu): void {
    const { gl, lists, textures } = gpu;
    gl.activeTexture(gl.TEXTURE0);
    for (const task of this.ui.takeTextureTasks()) {
      if (task.kind === "upload") uploadTexture(gpu, task.upload);
      else {
        for (const [id, texture] of textures) {
          if (task.kind === "gone" && task.id !== id) continue;
          gl.deleteTexture(texture.handle);
          textures.delete(id);
        }
      }
    }
    for (const [id, list] of lists) {
      if (this.ui.lists.has(id)) continue;
      deleteList(gl, list);
      lists.delete(id);
    }
  }

  #drawList(gpu: Gpu, list: DrawList, dpr: number, w: number, h: number): void {
    const { gl } = gpu;
    bindList(gpu, list);
    const type =
      list.indices.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    let vertexOffset = -1;
    for (let at = 0; at < list.commandWords.length; at += 8) {
      const [x0, y0, x1, y1] = list.commandFloats.subarray(at, at + 4);
      const [textureId, vertex, index, count] = list.commandWords.subarray(
        at + 4,
        at + 8,
      );
      const texture = gpu.textures.get(textureId as number);
      const left = clamp((x0 as number) * dpr, w);
      const right = clamp((x1 as number) * dpr, w);
      const top = clamp((y0 as number) * dpr, h);
      const low = clamp((y1 as number) * dpr, h);
      if (!texture || right <= left || low <= top) continue;
      gl.scissor(left, h - low, right - left, low - top);
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      gl.uniform1i(gpu.alphaOnly, texture.format === "alpha" ? 1 : 0);
      if (vertex !== vertexOffset) {
        vertexOffset = vertex as number;
        pointAttributes(gl, vertexOffset * VERTEX_BYTES);
      }
      gl.drawElements(
        gl.TRIANGLES,
        count as number,
        type,
        (index as number) * list.indices.BYTES_PER_ELEMENT,
      );
    }
  }
}

function prepare({ gl, program }: Gpu, w: number, h: number): void {
  gl.viewport(0, 0, w, h);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(0, 0, w, h);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.useProgram(program);
}

function bindList(gpu: Gpu, list: DrawList): void {
  const { gl, lists } = gpu;
  let held = lists.get(list.id);
  if (!held) {
    held = {
      version: -1,
      vao: gl.createVertexArray(),
      vertices: gl.createBuffer(),
      indices: gl.createBuffer(),
    };
    lists.set(list.id, held);
  }
  gl.bindVertexArray(held.vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, held.vertices);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, held.indices);
  if (held.version === list.version) return;
  held.version = list.version;
  gl.bufferData(gl.ARRAY_BUFFER, list.vertices, gl.DYNAMIC_DRAW);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list.indices, gl.DYNAMIC_DRAW);
  for (const location of [0, 1, 2]) gl.enableVertexAttribArray(location);
}

/** WebGL2 has no base vertex, so the attributes begin where the command's vertices do. */
function pointAttributes(gl: WebGL2RenderingContext, offset: number): void {
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, VERTEX_BYTES, offset);
  gl.vertexAttribPointer(1, 2, gl.FLOAT, false, VERTEX_BYTES, offset + 8);
  gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, VERTEX_BYTES, offset + 16);
}

function uploadTexture({ gl, textures }: Gpu, upload: TextureUpload): void {
  const { id, width, height, format } = upload;
  const [internal, layout] = {
    rgba: [gl.RGBA8, gl.RGBA] as const,
    alpha: [gl.R8, gl.RED] as const,
    rgb: [gl.RGB8, gl.RGB] as const,
  }[format];
  let texture = textures.get(id);
  const fits =
    texture?.width === width && texture.height === height && texture.format === format;
  if (!texture || !fits) {
    if (texture) gl.deleteTexture(texture.handle);
    texture = { handle: gl.createTexture(), width, height, format };
    textures.set(id, texture);
    gl.bindTexture(gl.TEXTURE_2D, texture.handle);
    gl.texStorage2D(gl.TEXTURE_2D, 1, internal, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }
  gl.bindTexture(gl.TEXTURE_2D, texture.handle);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const { x, y, w, h, pixels } = upload;
  gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, w, h, layout, gl.UNSIGNED_BYTE, pixels);
}

function deleteList(gl: WebGL2RenderingContext, list: GpuList): void {
  gl.deleteVertexArray(list.vao);
  gl.deleteBuffer(list.vertices);
  gl.deleteBuffer(list.indices);
}

function compile(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX_SHADER],
    [gl.FRAGMENT_SHADER, FRAGMENT_SHADER],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error("WebGL has no room for the panels' shader");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`the panels' shader: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

function clamp(value: number, size: number): number {
  return Math.min(size, Math.max(0, Math.round(value)));
}
