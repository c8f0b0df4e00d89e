"""From Q to a set: decoding, repair and search, which know terms and no problem.

`SEARCHES` has the searches by name; `SearchKind`, `Search` and `Found` are what one of your own is made of
(docs/adding-a-search.md).
"""

from annealco.search.protocol import Found, Search, SearchKind
from annealco.search.searches import SEARCHES

__all__ = ["SEARCHES", "Found", "Search", "SearchKind"]
