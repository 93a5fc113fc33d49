//! The search for the highest load that a service sustains.
