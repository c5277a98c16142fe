"""The panels of the app: one file each, made and drawn by `App`."""
