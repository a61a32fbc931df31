// `Codable` doesn't exist in Embedded Swift, where states are saved by `StateArchive` alone. An
// empty protocol of that name lets each type be declared once.

#if hasFeature(Embedded)
  protocol Codable {}
#endif
