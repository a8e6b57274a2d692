package resources

// troubles are what a step remembers of a child that is not as easily kept as
// most are.
type troubles struct {
	refusal *refusal // of the last apply that was refused for good, nil if there is none
	contest *contest // over the child with somebody else, nil if there was none
	fickle  *fickle  // what is wanted of the child changes by itself, nil if it does not
}

// troubles returns what is remembered of troubles.
func (s *slot[C]) troubles() troubles {
	if s.troubled == nil {
		return troubles{}
	}
	return *s.troubled
}

// trouble changes what is remembered of troubles.
func (s *slot[C]) trouble(change func(*troubles)) {
	now := s.troubles()
	change(&now)
	s.troubled = &now
	if now == (troubles{}) {
		s.troubled = nil
	}
}
