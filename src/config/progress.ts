/** Reports each file of a folder that is read or written. @param nth counts from 1. */
export type Progress = (doing: 'reading' | 'writing', nth: number, of: number) => void
