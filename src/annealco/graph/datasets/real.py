"""List the real sets: published collections of graphs, read from files or made of public archives."""

from __future__ import annotations

from annealco.graph.datasets.dataset import Dataset, Stored
from annealco.graph.datasets.ego_networks import read_ego_networks
from annealco.graph.datasets.facebook100 import read_facebook100
from annealco.graph.datasets.tu_format import tu_reader

_TU = "https://www.chrsmrrs.com/graphkerneldatasets"
_SNAP = "https://snap.stanford.edu/data/twitter.tar.gz"
_FACEBOOK = "https://archive.org/download/oxford-2005-facebook-matrix/facebook100.zip"
_YANARDAG = "Yanardag and Vishwanathan, KDD 2015; TUDataset"
_NO_TERMS = "none stated"
_NCI = "PubChem bioassays of the NCI-60 screen, by Pan et al., TKDE 2015 and 2016"
_CITE = "none stated; the authors ask for citation"


def _tu(file: str, name: str) -> Stored:
    return Stored(f"{file}.npz", f"{_TU}/{name}.zip", tu_reader(name))


REAL: tuple[Dataset, ...] = (
    Dataset(
        name="collab",
        title="ego networks of scientific collaboration",
        origin=_tu("COLLAB", "COLLAB"),
        problems=("mis", "clique", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=5000,
        mean_nodes=74.49,
        mean_edges=2457.22,
        published=(5000, 74.49, 2457.78),
        note="The published mean counts 2,837 self-loops, which are dropped here.",
    ),
    Dataset(
        name="twitter",
        title="the 973 ego networks of SNAP ego-Twitter",
        origin=Stored("TWITTER.npz", _SNAP, read_ego_networks),
        problems=("mis", "clique", "mds", "cut"),
        source="McAuley and Leskovec, NIPS 2012; SNAP ego-Twitter",
        licence=_CITE,
        graphs=973,
        mean_nodes=131.76,
        mean_edges=1709.32,
        published=(973, 131.76, 1709.33),
        note="Arcs without direction, without 22 self-loops and without the ego; not TUDataset's "
        "TWITTER-Real-Graph-Partial.",
        cut_seeds=30,
    ),
    Dataset(
        name="facebook",
        title="the 70 colleges of Facebook100 with fewer than 15,000 nodes",
        origin=Stored("FACEBOOK100.npz", _FACEBOOK, read_facebook100),
        problems=("cut",),
        source="Traud, Mucha and Porter, Physica A 2012",
        licence=_CITE,
        graphs=70,
        mean_nodes=7252.71,
        mean_edges=276411.19,
        published=(70, 7252.71, 276411.19),
        cut_seeds=100,
    ),
    Dataset(
        name="imdb",
        title="ego networks of actors who played together (IMDB-BINARY)",
        origin=_tu("IMDB-BINARY", "IMDB-BINARY"),
        problems=("mis", "clique", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=1000,
        mean_nodes=19.77,
        mean_edges=96.53,
        published=(1000, 19.77, 96.53),
    ),
    Dataset(
        name="reddit",
        title="discussion threads as graphs of users (REDDIT-BINARY)",
        origin=_tu("REDDIT-BINARY", "REDDIT-BINARY"),
        problems=("mis", "vertex_cover", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=2000,
        mean_nodes=429.63,
        mean_edges=497.75,
        published=(2000, 429.63, 497.75),
    ),
    Dataset(
        name="sf295",
        title="molecules screened against the cell line SF-295, the full set",
        origin=_tu("SF-295", "SF-295"),
        problems=("cut",),
        source="PubChem bioassay 47; TUDataset",
        licence=_NO_TERMS,
        graphs=40271,
        mean_nodes=26.06,
        mean_edges=28.09,
        published=(40271, 26.06, 28.09),
        cut_seeds=10,
    ),
    Dataset(
        name="sf295-subset",
        title="molecules screened against SF-295, a part only: 3,470 of 40,271",
        origin=Stored("SF-295-subset.npz"),
        problems=("cut",),
        source=_NCI,
        licence=_CITE,
        graphs=3470,
        mean_nodes=30.00,
        mean_edges=32.73,
        note="A part only, half of it active molecules, which are larger than those of SF-295 (published: 40,271 "
        "graphs, 26.06 nodes, 28.09 edges). graph_data['representative'] marks 1,827 graphs with its class shares.",
        cut_seeds=10,
    ),
    Dataset(
        name="nci60",
        title="molecules of nine NCI-60 screens, a stand-in for SF-295",
        origin=Stored("NCI60.npz"),
        problems=("cut",),
        source=_NCI,
        licence=_CITE,
        graphs=16589,
        mean_nodes=26.95,
        mean_edges=29.29,
        note="A stand-in for SF-295, not SF-295; it contains sf295-subset. graph_data['representative'] marks 13,555 "
        "graphs with its class shares.",
        cut_seeds=10,
    ),
)
