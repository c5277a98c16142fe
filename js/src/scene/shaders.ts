// The GLSL of the scene: MuJoCo's fixed-function lighting on instanced geoms, by pixel or
// by vertex, with one shadow atlas; and the small programs of shadows, lines, sky and haze.
// Text only; `materials.ts` makes programs of it.
//
// The lighting is that of MuJoCo's renderer (render_gl3.c), which is OpenGL's own
// (OpenGL 2.1 specification, 2.14.1): per light, attenuation * spot * (ambient + diffuse
// n.l + specular (n.h)^shininess), with ambient and diffuse reflection equal to the geom's
// colour. It adds the light of each shadow-casting lamp in a pass of its own, where that
// light is not blocked; so each of these sums is clamped to 1 by itself, before the texture
// multiplies it.

const HEAD = "precision highp float;\nprecision highp int;\n";

import { MAX_SHADOWS } from "./lights";

// SwiftShader interpolates garbage over large triangles with a vertex at w = 0, next to the
// eye's own plane. Such a vertex is behind the near plane anyway: moved away from w = 0 by
// less than that, nothing is seen of it. `uNear` is 0 where w is 1 throughout.
const SAFE = /* glsl */ `
uniform float uNear;
vec4 safe(vec4 clip) {
  if (abs(clip.w) < 0.5 * uNear) clip.w = -0.5 * uNear;
  return clip;
}
`;

// One instance: what batches.ts writes, seven vec4 a geom.
const INSTANCE = /* glsl */ `
in vec4 row0, row1, row2;  // rotation row, position
in vec4 sizeEmission;
in vec4 rgba;
in vec4 finish;            // specular, shininess, unused, unused
in vec4 texScale;          // cube: xyz; 2-D: xy
`;

const PLACE = /* glsl */ `
#ifdef MESH
in vec3 vertex;
#else
in vec4 vertex;
#endif
in vec3 normal;
#ifdef PLANE
uniform vec3 uEye;
uniform float uPlaneExtent;
#endif

vec3 toWorld(vec3 local) {
  return vec3(dot(row0.xyz, local), dot(row1.xyz, local), dot(row2.xyz, local));
}

vec3 localPosition() {
  vec3 size = sizeEmission.xyz;
#if defined(MESH)
  return vertex;
#elif defined(PLANE)
  // A side of size 0 is infinite: it is drawn around the eye, out to the far plane.
  vec3 eye = uEye - vec3(row0.w, row1.w, row2.w);
  vec2 foot = vec2(
    eye.x * row0.x + eye.y * row1.x + eye.z * row2.x,
    eye.x * row0.y + eye.y * row1.y + eye.z * row2.y
  );
  // Cells grow away from the eye, where lighting by vertex needs them least.
  vec2 wide = foot + vertex.xy * abs(vertex.xy) * uPlaneExtent;
  return vec3(mix(wide, vertex.xy * size.xy, step(1e-9, size.xy)), 0.0);
#elif defined(TOP)
  return vec3(vertex.xy, 1.0) * size;
#else
  return vertex.xyz * size + vec3(0.0, 0.0, vertex.w * 0.5 * (size.x + size.y));
#endif
}

vec3 worldPosition(vec3 local) {
  return toWorld(local) + vec3(row0.w, row1.w, row2.w);
}
`;

const NORMAL = /* glsl */ `
vec3 worldNormal() {
#if defined(MESH) || defined(PLANE)
  return normalize(toWorld(normal));
#else
  vec3 size = max(sizeEmission.xyz, vec3(1e-9));
  if (vertex.w != 0.0) size.z = 0.5 * (size.x + size.y);
  return normalize(toWorld(normal / size));
#endif
}
`;

const TEXTURE_LOOKUP = /* glsl */ `
#if defined(TEX_UV) && !defined(PLANE)
in vec2 uv;
#endif
#if defined(TEX_CUBE) && !defined(MESH) && !defined(PLANE)
in vec3 object;
#endif

vec3 textureLookup(vec3 local) {
#if defined(TEX_UV) && defined(PLANE)
  vec2 finite = step(1e-9, sizeEmission.xy);
  // An infinite side has its texture's middle at its origin, a finite one its edge at its own.
  vec2 place = 0.5 * mix(local.xy, vertex.xy, finite) * vec2(1.0, -1.0);
  vec2 shift = mix(vec2(-0.5), 0.5 * texScale.xy, finite);
  return vec3(place * texScale.xy + shift, 0.0);
#elif defined(TEX_UV)
  return vec3(uv * texScale.xy, 0.0);
#elif defined(TEX_2D)
  return vec3(local.xy * texScale.xy * vec2(0.5, -0.5) - 0.5, 0.0);
#elif defined(TEX_CUBE) && (defined(MESH) || defined(PLANE))
  return local * texScale.xyz;
#elif defined(TEX_CUBE)
  return object * texScale.xyz;
#else
  return vec3(0.0);
#endif
}
`;

/** The lights of a scene by kind, those with a shadow first: "s" spot, "d" directional. */
function lighting(kinds: string): string {
  const functions = /* glsl */ `
uniform vec3 uAmbientLight;
struct Light {
  vec3 pos, dir, attenuation, ambient, diffuse, specular;
  float cosCutoff, exponent;
};
uniform Light uLights[${Math.max(1, kinds.length)}];

vec3 shine(Light light, vec3 l, vec3 n, vec3 v, vec3 color, vec2 gloss) {
  vec3 sum = light.ambient * color;
  float nl = dot(n, l);
  if (nl > 0.0) {
    sum += light.diffuse * color * nl;
    if (gloss.x > 0.0) {
      float nh = max(dot(n, normalize(l + v)), 1e-6);
      sum += light.specular * gloss.x * pow(nh, gloss.y);
    }
  }
  return sum;
}

vec3 directional(Light light, vec3 p, vec3 n, vec3 v, vec3 color, vec2 gloss) {
  return shine(light, -light.dir, n, v, color, gloss);
}

vec3 spot(Light light, vec3 p, vec3 n, vec3 v, vec3 color, vec2 gloss) {
  vec3 l = light.pos - p;
  float distance = length(l);
  l /= max(distance, 1e-9);
  float strength = 1.0 / max(
    dot(light.attenuation, vec3(1.0, distance, distance * distance)), 1e-9);
  float along = dot(-l, light.dir);
  if (along < light.cosCutoff) return vec3(0.0);
  if (light.exponent > 0.0) strength *= pow(max(along, 1e-6), light.exponent);
  return strength * shine(light, l, n, v, color, gloss);
}
`;
  const calls = [...kinds].map((kind, i) => {
    const name = kind === "d" ? "directional" : "spot";
    return `${name}(uLights[${i}], p, n, v, color, gloss)`;
  });
  return `${functions}
vec3 plainLight(vec3 p, vec3 n, vec3 v, vec3 color, vec2 gloss, float emission) {
  vec3 sum = color * (uAmbientLight + emission);
${calls.map((call, i) => `#if ${i} >= SHADOWS\n  sum += ${call};\n#endif`).join("\n")}
  return min(sum, 1.0);
}
${calls
  .map(
    (call, i) => `
vec3 shadowedLight${i}(vec3 p, vec3 n, vec3 v, vec3 color, vec2 gloss) {
  return min(${call}, 1.0);
}`,
  )
  .join("")}
`;
}

const VARYINGS = /* glsl */ `
FLAT VARYING vec4 vRgba;
#if defined(TEX_UV) || defined(TEX_2D) || defined(TEX_CUBE)
VARYING vec3 vTexture;
#endif
#ifdef FOG
VARYING float vDepth;
#endif
#ifdef MIRROR
VARYING float vBehind;
#endif
#if SHADOWS > 0
VARYING vec4 vShadow[SHADOWS];
#endif
#ifdef PER_PIXEL
VARYING vec3 vPosition;
VARYING vec3 vNormal;
FLAT VARYING vec3 vGloss;
#else
VARYING vec3 vPlain;
#if SHADOWS > 0
VARYING vec3 vShadowed[SHADOWS];
#endif
#endif
`;

/** Code for each light with a shadow: written out, since no compiler unrolls it for us. */
function eachShadow(code: (i: number) => string): string {
  const parts = Array.from({ length: MAX_SHADOWS }, (_, i) => {
    return `#if SHADOWS > ${i}\n${code(i)}\n#endif`;
  });
  return parts.join("\n");
}

function varyings(direction: "in" | "out"): string {
  return VARYINGS.replaceAll("FLAT VARYING", `flat ${direction}`).replaceAll(
    "VARYING",
    direction,
  );
}

export function geomVertex(lightKinds: string): string {
  return `${HEAD}${SAFE}${INSTANCE}${PLACE}${NORMAL}${TEXTURE_LOOKUP}${varyings("out")}
uniform mat4 uViewProjection;
uniform vec4 uDepthRow;
#ifdef MIRROR
uniform mat4 uMirror;
uniform vec4 uMirrorPlane;
uniform float uTint;
#endif
#ifndef PER_PIXEL
uniform vec3 uLightEye;
${lighting(lightKinds)}
#endif
#if SHADOWS > 0
uniform mat4 uShadowMatrix[SHADOWS];
uniform float uShadowLift;
#endif

void main() {
  vec3 local = localPosition();
  vec3 p = worldPosition(local);
  vec3 n = worldNormal();
  vRgba = rgba;
#ifdef MIRROR
  vRgba.rgb *= uTint;
  vBehind = dot(uMirrorPlane, vec4(p, 1.0));
  vec4 shown = uMirror * vec4(p, 1.0);
#else
  vec4 shown = vec4(p, 1.0);
#endif
#if defined(TEX_UV) || defined(TEX_2D) || defined(TEX_CUBE)
  vTexture = textureLookup(local);
#endif
#ifdef FOG
  vDepth = dot(uDepthRow, shown);
#endif
#if SHADOWS > 0
  // Looked up a little off the surface, or it would shadow itself.
  vec4 lifted = vec4(p + n * uShadowLift, 1.0);
  for (int i = 0; i < SHADOWS; i++) vShadow[i] = uShadowMatrix[i] * lifted;
#endif
#ifdef PER_PIXEL
  vPosition = p;
  vNormal = n;
  vGloss = vec3(finish.xy, sizeEmission.w);
#else
  vec3 v = normalize(uLightEye - p);
  vPlain = plainLight(p, n, v, vRgba.rgb, finish.xy, sizeEmission.w);
#if SHADOWS > 0
${eachShadow((i) => `  vShadowed[${i}] = shadowedLight${i}(p, n, v, vRgba.rgb, finish.xy);`)}
#endif
#endif
  gl_Position = safe(uViewProjection * shown);
}
`;
}

export function geomFragment(lightKinds: string): string {
  return `${HEAD}${varyings("in")}
#if defined(TEX_UV) || defined(TEX_2D)
uniform sampler2D uTexture;
#elif defined(TEX_CUBE)
uniform samplerCube uTexture;
#endif
#ifdef FOG
uniform vec4 uFogColor;
uniform vec2 uFogRange;
#endif
#ifdef PER_PIXEL
uniform vec3 uLightEye;
${lighting(lightKinds)}
#endif
#if SHADOWS > 0
uniform highp sampler2DShadow uShadowMap;
uniform vec4 uShadowTile[SHADOWS];

float reached(vec4 s, vec4 tile) {
  vec3 at = s.xyz / s.w;
  // What the light's map does not cover is lit.
  bool outside = s.w <= 0.0 || at.z >= 1.0 || any(lessThan(at.xy, tile.xy)) ||
    any(greaterThan(at.xy, tile.zw));
  return outside ? 1.0 : texture(uShadowMap, at);
}
#endif
uniform float uAdditive;
out vec4 color;

void main() {
#ifdef MIRROR
  if (vBehind < 0.0) discard;
#endif
  vec4 texel = vec4(1.0);
#if defined(TEX_UV) || defined(TEX_2D)
  texel = texture(uTexture, vTexture.xy);
#elif defined(TEX_CUBE)
  texel = vec4(texture(uTexture, vTexture).rgb, 1.0);
#endif
#ifdef PER_PIXEL
  vec3 n = normalize(vNormal);
  vec3 v = normalize(uLightEye - vPosition);
  vec3 sum = plainLight(vPosition, n, v, vRgba.rgb, vGloss.xy, vGloss.z);
#else
  vec3 sum = vPlain;
#endif
${eachShadow(
  (i) => `  {
#ifdef PER_PIXEL
    vec3 part = shadowedLight${i}(vPosition, n, v, vRgba.rgb, vGloss.xy);
#else
    vec3 part = vShadowed[${i}];
#endif
    if (part.r + part.g + part.b > 0.0) sum += part * reached(vShadow[${i}], uShadowTile[${i}]);
  }`,
)}
  sum *= texel.rgb;
#ifdef FOG
  float clear = clamp((uFogRange.y - vDepth) / (uFogRange.y - uFogRange.x), 0.0, 1.0);
  sum = mix(uFogColor.rgb, sum, clear);
#endif
#ifdef OPAQUE
  color = vec4(sum, 1.0);
#else
  float alpha = vRgba.a * texel.a;
  // MuJoCo blends transparent geoms twice, front to back and back to front.
  color = vec4(sum, mix(1.0 - (1.0 - alpha) * (1.0 - alpha), alpha, uAdditive));
#endif
}
`;
}

/** Depth only: the shadow map, and the stencil of a mirror. */
export const DEPTH_VERTEX = `${HEAD}${SAFE}${INSTANCE}${PLACE}
uniform mat4 uDepthMatrix;
void main() {
  gl_Position = safe(uDepthMatrix * vec4(worldPosition(localPosition()), 1.0));
}
`;

export const DEPTH_FRAGMENT = `${HEAD}
out vec4 color;
void main() { color = vec4(0.0); }
`;

/** Segments as screen-aligned strips: MuJoCo gives their width in pixels (mjGEOM_LINE). */
export const LINE_VERTEX = `${HEAD}${INSTANCE}
in vec3 from, to;
in vec2 corner;  // along, across
uniform mat4 uViewProjection;
uniform vec2 uViewport;
uniform float uPixel;
flat out vec4 vRgba;

vec4 clip(vec3 unit) {
  vec3 local = unit * sizeEmission.xyz;
#ifdef LINE
  local.xy = vec2(0.0);
#endif
  vec3 p = vec3(dot(row0.xyz, local), dot(row1.xyz, local), dot(row2.xyz, local));
  return uViewProjection * vec4(p + vec3(row0.w, row1.w, row2.w), 1.0);
}

void main() {
  vec4 a = clip(from);
  vec4 b = clip(to);
  // Both ends in front of the near plane, or the direction on the screen means nothing.
  float da = a.z + a.w, db = b.z + b.w;
  if (da < 0.0 && db > 0.0) a = mix(a, b, da / (da - db));
  if (db < 0.0 && da > 0.0) b = mix(b, a, db / (db - da));
  vec2 along = (b.xy / b.w - a.xy / a.w) * uViewport;
  vec2 across = normalize(vec2(-along.y, along.x) + 1e-9);
#ifdef LINE
  float width = sizeEmission.x;
#else
  float width = 1.5;
#endif
  vec4 here = corner.x < 0.5 ? a : b;
  here.xy += across * corner.y * max(width * uPixel, 1.0) / uViewport * here.w;
  vRgba = rgba;
  gl_Position = here;
}
`;

export const LINE_FRAGMENT = `${HEAD}
flat in vec4 vRgba;
out vec4 color;
void main() { color = vRgba; }
`;

const FAR_FOG = /* glsl */ `
in float vDepth;
uniform vec4 uFogColor;
uniform vec2 uFogRange;
uniform float uFog;
vec3 fogged(vec3 seen) {
  float clear = clamp((uFogRange.y - vDepth) / (uFogRange.y - uFogRange.x), 0.0, 1.0);
  return mix(seen, uFogColor.rgb, uFog * (1.0 - clear));
}
`;

/** The sky: a cylinder around the eye whose texture is turned as render_gl3.c turns it. */
export const SKY_VERTEX = `${HEAD}${SAFE}
in vec4 vertex;
uniform mat4 uViewProjection;
uniform vec4 uDepthRow;
uniform vec3 uEye;
uniform float uSkyRadius;
out vec3 vTexture;
out float vDepth;
void main() {
  vec4 p = vec4(uEye + vertex.xyz * uSkyRadius, 1.0);
  vTexture = vec3(vertex.x, vertex.z, -vertex.y);
  vDepth = dot(uDepthRow, p);
  gl_Position = safe(uViewProjection * p);
}
`;

export const SKY_FRAGMENT = `${HEAD}${FAR_FOG}
in vec3 vTexture;
uniform samplerCube uTexture;
out vec4 color;
void main() { color = vec4(fogged(texture(uTexture, vTexture).rgb), 1.0); }
`;

export const HAZE_VERTEX = `${HEAD}${SAFE}
in vec4 vertex;  // w: alpha
uniform mat4 uViewProjection;
uniform vec4 uDepthRow;
uniform vec3 uEye;
uniform float uSkyRadius;
uniform mat3 uHazeFrame;
uniform float uHazeElevation;
out float vAlpha;
out float vDepth;
void main() {
  vec3 local = vec3(vertex.xy, uHazeElevation * (vertex.z - 1.0));
  vec4 p = vec4(uEye + uHazeFrame * local * uSkyRadius, 1.0);
  vAlpha = vertex.w;
  vDepth = dot(uDepthRow, p);
  gl_Position = safe(uViewProjection * p);
}
`;

export const HAZE_FRAGMENT = `${HEAD}${FAR_FOG}
in float vAlpha;
uniform vec4 uHazeColor;
out vec4 color;
void main() { color = vec4(fogged(uHazeColor.rgb), vAlpha); }
`;
