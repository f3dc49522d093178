/** Told of each file of a folder that is read or written, for whoever waits. @param nth from 1 on. */
export type Watch = (doing: 'reading' | 'writing', nth: number, of: number) => void
