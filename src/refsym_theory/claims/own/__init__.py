"""Claims of this project: corrected or sharper statements that the papers do not make."""
