"""A GPU computes, with the same bits as the compiled core; imported only where one is asked for."""
