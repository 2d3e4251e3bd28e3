"""profile.json as profile.html and findings.md: where targets spend CPU, by stage and function.

Everything but the flame graphs stands in the file as numbers; nothing is estimated here again.
"""
