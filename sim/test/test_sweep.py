"""Sweeps over grids of parameters, on this machine: sim/slurm/sweep.py. `make slurm-check` runs one in Slurm."""
import json
import subprocess
import sys

from conftest import BUILD, ROOT

PROGRAM = [sys.executable, ROOT / "sim/slurm/sweep.py"]


def sweep(folder, code, grid, *options):
    path = folder / "grid.json"
    path.write_text(grid if isinstance(grid, str) else json.dumps(grid), encoding="utf-8")
    done = subprocess.run([*PROGRAM, path, "--out", folder / "out", *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


def grid(**options):
    return {"command": f"{BUILD}/weir fabric --topology clos:4x2x2", "options": options, "keys": ["time_ps", "seed"]}


def test_each_point_once(tmp_path):
    """All combinations, in the grid's order; what is missing, and nothing else, is run again."""
    points = grid(load=["all-reduce", "netreduce"], size=["64K", "1M"], seed=[1, 2], **{"no-pfc": [True, False]})
    assert "16 points, 16 to run" in sweep(tmp_path, 0, points, "--local", "4")
    first = (tmp_path / "out/sweep.csv").read_text(encoding="utf-8")
    rows = first.splitlines()
    assert len(rows) == 17 and rows[0] == "point,load,size,seed,no-pfc,time_ps,seed" and rows[1].startswith("0,all-reduce,64K,1,True,")
    (tmp_path / "out/points/7.json").unlink()
    assert "point 7 is missing: " in sweep(tmp_path, 1, points, "--collect")
    assert "16 points, 1 to run" in sweep(tmp_path, 0, points, "--local", "4")
    assert (tmp_path / "out/sweep.csv").read_text(encoding="utf-8") == first


def test_a_point_that_fails(tmp_path):
    """It is named with its command; the others are there."""
    said = sweep(tmp_path, 1, grid(load=["all-reduce", "rabenseifner"], ranks=[5]), "--local", "1")
    assert said.count("is missing") == 1 and "--load rabenseifner --ranks 5" in said
    assert len((tmp_path / "out/sweep.csv").read_text(encoding="utf-8").splitlines()) == 2


def test_refused(tmp_path):
    for wrong in ("", "{", "[]", "{}", '{"command": "", "options": {}, "keys": []}', '{"command": "true", "options": {"seed": []}, "keys": []}'):
        assert sweep(tmp_path, 2, wrong, "--local", "1").startswith("sweep.py: ")


def test_without_slurm(tmp_path):
    """One line where there is no Slurm."""
    path = tmp_path / "grid.json"
    path.write_text(json.dumps(grid(seed=[1])), encoding="utf-8")
    done = subprocess.run([*PROGRAM, path, "--out", tmp_path / "out", "--slurm"], env={"PATH": "/nowhere"}, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no sbatch here" in done.stderr
