package pgwire

import "time"

// watch looks, now and then, whether the clients of running statements are still there, and ends the connections of those
// that are not. It costs a running statement nothing.
func (s *Server) watch() {
	defer s.wg.Done()
	tick := time.NewTicker(s.opts.WatchInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		for _, c := range s.all() {
			if c.busy.Load() && isGone(c.nc) {
				c.lost()
			}
		}
	}
}
