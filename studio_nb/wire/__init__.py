"""The wire format of docs/wire.md: bytes to arrays and back (NumPy only).

Encoders of `scene` and `ui` write with it, tests read with it, and
`js/src/wire.ts` is its mirror in the page. It knows no widget and no MuJoCo.
"""
