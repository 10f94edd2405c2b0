"""What the server imports from which processes are forked: all that `rosenblatt fit` needs."""

# ruff: noqa: F401
import os

import sklearn.ensemble
import sklearn.linear_model

import rosenblatt._out_of_core.train
import rosenblatt._study.study
import rosenblatt.cli.fit
import rosenblatt.cli.predict
import rosenblatt.model_file
from rosenblatt.report.page import environment

for name in environment().list_templates(extensions="html"):
    environment().get_template(name)  # compiled once

os.fsync = lambda handle: None  # as in conftest.py
